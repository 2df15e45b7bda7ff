"""Runs of Headlight in Python.

import headlight

run = headlight.train("copy_task.ini", model_heads=8)    # or headlight.open("runs/copy_task")
run.metrics                                              # metrics.csv
run.patterns[250]["layer_1"]                             # (examples, heads, queries, keys)
run.show(1, 0)                                           # the report's map of head L1H0
"""

from headlight.files import Error
from headlight.patterns import Patterns, Snapshot
from headlight.run import Run, open
from headlight.show import View
from headlight.training import train

__version__ = "0.2.0"
__all__ = ["Error", "Patterns", "Run", "Snapshot", "View", "__version__", "open", "train"]
