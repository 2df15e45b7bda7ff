"""Runs of Headlight in Python.

import headlight

run = headlight.train("copy_task.ini", model_heads=8)    # or headlight.open("runs/copy_task")
run.metrics                                              # metrics.csv
run.patterns[250]["layer_1"]                             # (examples, heads, queries, keys)
run.show(1, 0)                                           # the report's map of head L1H0

model = headlight.model("minilm")                        # a run's folder, or an open model's
model.show("The cat sat on the mat")                     # all of its heads on a sentence
headlight.ablate("copy_task.ini", heads=[1, 2, 4])       # a sweep
"""

from headlight import programs
from headlight.files import Error
from headlight.patterns import Patterns, Snapshot
from headlight.programs import configs
from headlight.run import Run, open
from headlight.show import View
from headlight.training import train
from headlight.verbs import Model, ablate, model

__version__ = programs.version()
__all__ = [
    "Error", "Model", "Patterns", "Run", "Snapshot", "View", "__version__", "ablate", "configs", "model", "open", "train"
]
