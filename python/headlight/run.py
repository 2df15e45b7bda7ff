"""A run's folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from headlight import files, programs
from headlight.files import Array, Config, Error, Table
from headlight.patterns import Patterns
from headlight.show import View, view_of

if TYPE_CHECKING:
    from headlight.encoder import Encoder

JSON_FORMAT = 2


class Run:
    """What a run left behind. Files are read when they are asked for, tables each time: the run may be under way."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not (self.path / "config.ini").is_file():
            raise Error(f"{self.path}: is no folder of a run, as it has no config.ini; headlight.train makes one")
        self.config: Config = files.read_config(self.path / "config.ini")
        for section, key in (("task", "name"), ("model", "layers"), ("model", "heads")):
            if key not in self.config.get(section, {}):
                raise Error(f"{self.path / 'config.ini'}: has no {section}.{key}; the file is damaged")

    @property
    def metrics(self) -> Table:
        """metrics.csv: loss, accuracy and speed by step; NaN stands for an empty field."""
        return self.csv("metrics.csv")

    @property
    def heads(self) -> Table:
        """heads.csv: every metric of every head at every snapshot, with its baseline."""
        return self.csv("heads.csv")

    @property
    def patterns(self) -> Patterns:
        """Every head's attention by step."""
        return Patterns(self.path / "patterns")

    @property
    def vocabulary(self) -> list[str]:
        """The tokens by their ids."""
        return files.read_vocabulary(self.path / "vocab.txt")

    @property
    def heads_of_layers(self) -> list[int]:
        """How many heads each layer has."""
        layers, heads = self.config["model"]["layers"], self.config["model"]["heads"]
        if isinstance(layers, int) and isinstance(heads, (int, tuple)):
            return list(heads) if isinstance(heads, tuple) else [heads] * layers
        raise Error(f"{self.path / 'config.ini'}: model.layers or model.heads is no number; the file is damaged")

    def csv(self, name: str) -> Table:
        """Another table of the folder: "scores.csv", "syntax.csv"."""
        return files.read_csv(self.path / name)

    def tokens(self, example: int) -> list[str]:
        """The tokens of a snapshot's example, which are the same at all steps."""
        steps = self.patterns.steps
        if not steps:
            raise Error(f"{self.path}: has no snapshots; train with patterns.examples above 0")
        snapshot, vocabulary = self.patterns[steps[0]], self.vocabulary
        return [vocabulary[i] for i in snapshot["tokens"][example, : snapshot["lengths"][example]]]

    def table(self) -> Table:
        """What each head does at the last step: the table that the program `heads` prints, as its --json has it. The
        program writes heads.csv and report.html anew, too."""
        document = json.loads(programs.output_of("heads", "table", str(self.path), "--json"))
        files.check_format("heads table --json", document.get("format"), JSON_FORMAT)
        return files.table_of_rows(document["heads"])

    def weights(self, name: str = "model.safetensors") -> dict[str, Array]:
        """Tensors by PyTorch's names: of the best validation loss; "checkpoint.safetensors": of the last step."""
        return files.read_safetensors(self.path / name)

    def torch_model(self, name: str = "model.safetensors") -> Encoder:
        """The model as a torch.nn.Module with these weights, set to evaluate."""
        try:
            import torch  # noqa: F401
        except ImportError:
            raise Error("torch_model needs PyTorch, which is not installed: pip install torch") from None
        from headlight.encoder import Encoder

        weights, step = self.weights(name), files.read_step(self.path / name)
        return Encoder.of_run(self.path, self.config, weights, len(self.vocabulary), step)

    def show(self, layer: int, head: int, height: int = 640) -> View:
        """The report's map of a head, with its slider over the steps, in the notebook."""
        return view_of(self.path / "report.html", self.heads_of_layers, layer, head, height)

    def __repr__(self) -> str:
        steps = self.patterns.steps
        return f"Run({str(self.path)!r}): {self.config['task']['name']}, heads by layer {self.heads_of_layers}" + (
            f", {len(steps)} snapshots up to step {steps[-1]}" if steps else ", no snapshots"
        )


def open(path: str | os.PathLike[str]) -> Run:
    """Opens the folder that a training left."""
    return Run(path)
