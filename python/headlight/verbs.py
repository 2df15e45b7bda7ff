"""A model, a run's or an open one, and what the programs `heads` and `predict` answer about it."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from headlight import files, programs
from headlight.files import Array, Error, Table
from headlight.show import View, page_of
from headlight.training import override

JSON_FORMAT = 2


def _options(**options: Any) -> list[str]:
    """max_pieces=30 is --max-pieces 30; True is an option without a value; None and False leave the option out."""
    arguments = []
    for name, value in options.items():
        if value is not None and value is not False:
            arguments.append(f"--{name.replace('_', '-')}")
            arguments += [] if value is True else [str(value)]
    return arguments


class Model:
    """A folder: a run's, or an open model's in the layout of Hugging Face. Every question runs a program."""

    def __init__(self, path: str | os.PathLike[str], task: str | None = None,
                 examples: str | os.PathLike[str] | None = None) -> None:  # fmt: skip
        """task and examples: for questions about the loss of an open model: `--task` and `--file` of the program."""
        self.path = Path(path)
        if not (self.path / "config.ini").is_file() and not (self.path / "config.json").is_file():
            raise Error(f"{self.path}: holds no model: neither config.ini (a run) nor config.json (an open model)")
        self._asked = _options(task=task, file=None if examples is None else os.fspath(examples))

    def _ask(self, verb: str, *arguments: str) -> dict[str, Any]:
        told = json.loads(programs.output_of("heads", verb, os.fspath(self.path), *arguments, "--json"))
        files.check_format(f"heads {verb} --json", told.get("format"), JSON_FORMAT)
        document: dict[str, Any] = told
        return document

    def _arrays(self, verb: str, *arguments: str) -> dict[str, Array]:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "arrays.npz"
            programs.output_of("heads", verb, os.fspath(self.path), *arguments, "--npz", os.fspath(archive))
            with np.load(archive, allow_pickle=False) as arrays:
                return dict(arrays)

    # ---- what heads look at ----

    def table(self, sentences: Iterable[str] | None = None, *, words: bool = False) -> Table:
        """What each head does: its label, score, baseline and more, a row for each head. An open model needs sentences.
        words: measured on whole words instead of pieces."""
        if sentences is None:
            return files.table_of_rows(self._ask("table", *self._asked, *_options(words=words))["heads"])
        with tempfile.TemporaryDirectory() as folder:
            options = _options(examples=_write_lines(folder, sentences), words=words)
            return files.table_of_rows(self._ask("table", *options)["heads"])

    def maps(self, text: str, *, words: bool = False, norms: bool = False, writes: bool = False) -> dict[str, Array]:
        """The maps of all heads on a text: layer_0, layer_1, ... (1, heads, queries, keys), hidden_0, ... (1, tokens,
        d_model). norms: shares of norms instead of weights. writes: also z_0, ... and write_0, ..., what heads write."""
        return self._arrays("map", "--input", text, *_options(words=words, norms=norms, writes=writes))

    def rollout(self, text: str) -> dict[str, Array]:
        """Where the information at each position comes from: raw, rollout, rollout_norms (layers, queries, keys)."""
        return self._arrays("rollout", "--input", text)

    def show(self, sentences: str | Iterable[str] | None = None, head: str | None = None, *, words: bool = False,
             height: int = 640) -> View:  # fmt: skip
        """The report in the notebook: of a run its own, or that of the model on these sentences. head: "L1H0" alone.
        words: whole words instead of pieces. Its maps switch between weights, norms and what heads add to the answer."""
        if sentences is None:
            return page_of(self.path / "report.html", head, height)
        with tempfile.TemporaryDirectory() as folder:
            lines = _write_lines(folder, [sentences] if isinstance(sentences, str) else sentences)
            page = Path(folder) / "report.html"
            options = _options(examples=lines, report=page, words=words)
            programs.output_of("heads", "table", os.fspath(self.path), *options)
            return page_of(page, head, height)

    def grammar(self, treebank: str | os.PathLike[str], **options: Any) -> Table:
        """Which head finds which relation of a treebank, a row for each relation. Options are those of the program:
        subtypes=True, max_pieces=30, without_null=True, ..."""
        return files.table_of_rows(self._ask("grammar", os.fspath(treebank), *_options(**options))["rows"])

    # ---- what the model needs them for ----

    def importance(self, *, shapley: bool = False) -> Table:
        """How much the loss depends on each head."""
        return files.table_of_rows(self._ask("importance", *self._asked, *_options(shapley=shapley))["heads"])

    def prune(self, *, by: str | None = None, once: bool = False) -> Table:
        """Loss and accuracy while heads are removed one by one."""
        return files.table_of_rows(self._ask("prune", *self._asked, *_options(by=by, once=once))["rows"])

    def writes(self) -> Table:
        """What each part of the model adds to the right answer's logit, the largest first."""
        return files.table_of_rows(self._ask("writes", *self._asked)["writers"])

    def patch(self, clean: str, corrupt: str, **options: Any) -> Table:
        """How much of the difference between two texts each part carries. Options are those of the program: position=16,
        answer="f", wrong="k", at=5, heads="L1H*", reverse=True."""
        return files.table_of_rows(self._ask("patch", "--clean", clean, "--corrupt", corrupt, *_options(**options))["rows"])

    def wires(self) -> Table:
        """Which head reads what which earlier head wrote, the strongest pair first."""
        return files.table_of_rows(self._ask("wires")["wires"])

    def compare(self, other: Model | str | os.PathLike[str]) -> Table:
        """Each head beside the closest head of another model."""
        path = other.path if isinstance(other, Model) else other
        with tempfile.TemporaryDirectory() as folder:  # the page of two runs would be written into the first one's
            page = _options(report=Path(folder) / "page.html") if (Path(path) / "config.ini").is_file() else []
            return files.table_of_rows(self._ask("compare", os.fspath(path), *self._asked, *page)["heads"])

    def export(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the model as a folder that transformers loads."""
        programs.output_of("heads", "export", os.fspath(self.path), os.fspath(folder), *_options(overwrite=overwrite))
        return Path(folder)

    # ---- what it answers ----

    def predict(self, texts: Iterable[str], **options: Any) -> list[dict[str, Any]]:
        """The answer to each text, as `predict --json` prints it. Options are those of the program: top=3, length=20, ..."""
        with tempfile.TemporaryDirectory() as folder:
            lines = _write_lines(folder, texts)
            told = programs.output_of("predict", os.fspath(self.path), lines, "--json", *_options(**options))
        return [json.loads(line) for line in told.splitlines()]

    def embed(self, texts: Iterable[str]) -> Array:
        """A vector for each text: (texts, d_model)."""
        with tempfile.TemporaryDirectory() as folder:
            vectors = Path(folder) / "vectors.npy"
            lines = _write_lines(folder, texts)
            programs.output_of("predict", os.fspath(self.path), lines, "--embed", os.fspath(vectors))
            array: Array = np.load(vectors, allow_pickle=False)
            return array

    def __repr__(self) -> str:
        return f"Model({str(self.path)!r})"


def _write_lines(folder: str, texts: Iterable[str]) -> str:
    """A file with a text a line."""
    lines = [texts] if isinstance(texts, str) else list(texts)
    for text in lines:
        if "\n" in text or "\r" in text:
            raise Error(f"{text!r}: is more than one line; give each line as a text of its own")
    path = Path(folder) / "texts.txt"
    path.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")
    return os.fspath(path)


def model(path: str | os.PathLike[str], task: str | None = None,
          examples: str | os.PathLike[str] | None = None) -> Model:  # fmt: skip
    """A model to ask: headlight.model("minilm").show("The cat sat on the mat")."""
    return Model(path, task, examples)


def ablate(config: str | os.PathLike[str], *, seeds: int = 3, out: str | os.PathLike[str] | None = None,
           overwrite: bool = False, **values: Any) -> Table:  # fmt: skip
    """Trains the config with each of several values, several times each, and returns a row for each training:

        headlight.ablate("copy_task.ini", heads=[1, 2, 4], seeds=3, train_steps=100)

    A list varies a key: heads, d_k, d_v, positions, or any section_key. Another value overrides a key in every row."""
    arguments = [os.fspath(config)]
    for name, value in values.items():
        if not isinstance(value, (list, tuple)):
            arguments.append(override(name, value))
            continue
        listed = ",".join(map(str, value))
        short = name in ("heads", "d_k", "d_v", "positions")
        arguments += [f"--{name.replace('_', '-')}", listed] if short else ["--vary", f"{override(name, listed)}"]
    arguments += _options(seeds=seeds, out=out, overwrite=overwrite)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ablation.csv"
        programs.output_of("ablate", *arguments, "--csv", os.fspath(path), follow=True)
        with path.open(encoding="utf-8", newline="") as file:
            rows: list[dict[str, Any]] = list(csv.DictReader(file))
    return files.table_of_rows(rows)
