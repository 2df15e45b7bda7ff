"""Reads the texts and weights of a run's folder (docs/formats.md). What is wrong with a file is one line that begins
with its path."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np
import numpy.typing as npt

# The newest format of each kind of file that is read here.
CONFIG_FORMAT, WEIGHTS_FORMAT, CHECKPOINT_FORMAT = 1, 1, 4

Array = npt.NDArray[Any]
Value = Union[str, int, float, bool, tuple[int, ...]]  # written so that Python 3.9 reads it
Config = dict[str, dict[str, Value]]
Table = Any  # a pandas.DataFrame where pandas is installed, else a dict of arrays by column


class Error(Exception):
    """What is wrong and what helps, in one line."""


def check_format(path: object, found: object, newest: int) -> None:
    if not isinstance(found, (int, str)) or not re.fullmatch(r"\d+", str(found)):
        raise Error(f"{path}: its format is no number but {found!r}; the file is damaged")
    if int(found) > newest:
        raise Error(f"{path}: format {found}, this Headlight reads up to {newest}; use a newer one")


def read_text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError:
        raise Error(f"{path}: is not UTF-8; the file is damaged") from None
    except OSError as error:
        raise Error(f"{path}: cannot be read: {error.strerror}") from None


# ---- config.ini ----

_LINE = re.compile(
    r"""(?: \[(?P<section>[^\]\#;]+)\]
          | (?P<key>[^=\#;]+?) \s*=\s* (?: "(?P<quoted>(?:[^"\\]|\\.)*)" | (?P<plain>(?!\s*")[^\#;]*?) ) )?
        \s* (?:[\#;].*)?""",
    re.VERBOSE,
)

# Keys whose values are texts, also where a text looks like a number.
_TEXTS = frozenset(
    "task.file task.validation_file task.column task.text_column task.label_column task.cache task.content "
    "tokens.vocabulary train.off train.frozen train.from train.weights train.out patterns.file patterns.treebank".split()
)


def _unquoted(text: str) -> str:
    plain = re.sub(rb'\\(x[0-9a-f]{2}|["\\])', lambda m: m[1] if len(m[1]) == 1 else bytes.fromhex(m[1][1:].decode()),
                   text.encode())  # fmt: skip
    return os.fsdecode(plain)


def _value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d+(\s*,\s*\d+)*", text):
        numbers = tuple(int(number) for number in text.split(","))
        return numbers if len(numbers) > 1 else numbers[0]
    try:
        return float(text)
    except ValueError:
        return text


def read_config(path: Path) -> Config:
    """The sections of a config, their keys and values: numbers, true and false as such, one number for each layer as a
    tuple, all else as text."""
    text, config, section = read_text(path), Config(), ""
    head = re.match(r"(?:#(?! Format: ).*\n)*# Format: (\d+)", text)
    check_format(path, head[1] if head else 1, CONFIG_FORMAT)
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.fullmatch(line.strip(" \t\r"))
        if found is None or (found["key"] and not section):
            raise Error(f"{path}:{number}: is neither key = value in a section, [section] nor a comment")
        section = (found["section"] or section).strip()
        keys = config.setdefault(section, {}) if section else {}
        if found["quoted"] is not None:
            keys[found["key"]] = _unquoted(found["quoted"])
        elif found["key"]:
            keys[found["key"]] = found["plain"] if f"{section}.{found['key']}" in _TEXTS else _value(found["plain"])
    return config


# ---- tables ----

_OBJECT_COLUMNS = frozenset("split metric class relation direction label faithful faithful_in_group".split())
_WHOLE_COLUMNS = frozenset("step layer head half hits cases found right best_offset".split())


def table_of(columns: Mapping[str, Array]) -> Table:
    try:
        import pandas
    except ImportError:
        return dict(columns)
    return pandas.DataFrame(columns)


def column_of(name: str, values: Sequence[Any]) -> Array:
    """Texts and verdicts as objects, whole numbers as int64, other numbers as float64 with NaN where there is none.
    ValueError where a value is no such number."""
    if name in _OBJECT_COLUMNS or any(isinstance(value, bool) for value in values):
        return np.array(values, dtype=object)
    if name in _WHOLE_COLUMNS:
        return np.array([int(value) for value in values], dtype=np.int64)
    return np.array([math.nan if value in ("", None) else float(value) for value in values], dtype=np.float64)


def table_of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows of a program's JSON as a table. Lists and objects inside of rows are left out."""
    columns = {}
    for name in rows[0] if rows else ():
        values = [row.get(name) for row in rows]
        if any(isinstance(value, (list, dict)) for value in values):
            continue
        try:
            columns[name] = column_of(name, values)
        except (TypeError, ValueError):  # a text, or a whole number that is not known
            columns[name] = np.array(values, dtype=object)
    return table_of(columns)


def _fits(name: str, value: str) -> bool:
    try:
        return len(column_of(name, [value])) == 1
    except ValueError:
        return False


def read_csv(path: Path) -> Table:
    """All whole lines; the last one of a run that is under way may lack its end."""
    text = read_text(path)
    rows = list(csv.reader(text.split("\n")[:-1]))
    if not rows:
        raise Error(f"{path}: has no header; the file is damaged")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise Error(f"{path}:{number}: has {len(row)} fields, the header {len(rows[0])}; the file is damaged")
    columns = {}
    for name, *values in zip(*rows):
        try:
            columns[name] = column_of(name, values)
        except ValueError:
            number, value = next((i, v) for i, v in enumerate(values, 2) if not _fits(name, v))
            raise Error(f"{path}:{number}: {name} is {value!r}; the file is damaged") from None
    return table_of(columns)


def read_vocabulary(path: Path) -> list[str]:
    """The tokens by their ids, as the file spells them: \\s stands for a space."""
    return read_text(path).removesuffix("\n").split("\n")


# ---- weights ----

_CHECKSUM = re.compile(rb'\{"__metadata__":\{"checksum":"([0-9a-f]{8})"')
_TYPES = {"F32": "<f4", "F64": "<f8", "F16": "<f2"}


def _checked_header(path: Path, data: bytes) -> tuple[dict[str, Any], int]:
    start = 8 + int.from_bytes(data[:8], "little")
    if len(data) < 8 or start > len(data):
        raise Error(f"{path}: ends within its header; the file is damaged or no safetensors file")
    try:
        header = json.loads(data[8:start])
    except ValueError:
        header = None
    if not isinstance(header, dict) or not isinstance(header.get("__metadata__", {}), dict):
        raise Error(f"{path}: its header is no JSON object; the file is damaged or no safetensors file")
    digits = _CHECKSUM.match(data, 8)
    if digits is None and header.get("__metadata__", {}).get("writer") == "headlight":
        raise Error(f"{path}: its checksum is not in its place; the file is damaged, or another program wrote it anew")
    if digits is not None:
        before, after = memoryview(data)[: digits.start(1)], memoryview(data)[digits.end(1) :]
        found = zlib.crc32(after, zlib.crc32(b"00000000", zlib.crc32(before)))
        if found != int(digits[1], 16):
            raise Error(
                f"{path}: is damaged or was changed: its checksum should be {found:08x} and is {digits[1].decode()}"
            )
    return header, start


def read_step(path: Path) -> int:
    """The step of a file of weights; 0 where it says none."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        return int(json.loads(file.read(size)).get("__metadata__", {}).get("step", 0))


def read_safetensors(path: Path) -> dict[str, Array]:
    """The tensors by name, without an optimizer's. A wrong checksum is refused."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Error(f"{path}: cannot be read: {error.strerror}") from None
    header, start = _checked_header(path, data)
    metadata = header.pop("__metadata__", {})
    check_format(path, metadata.get("weights_format", 1), WEIGHTS_FORMAT)
    check_format(path, metadata.get("checkpoint_format", 1), CHECKPOINT_FORMAT)
    tensors = {}
    for name, entry in header.items():
        try:
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(data[start + begin : start + end], dtype=_TYPES[entry["dtype"]])
            tensors[name] = numbers.reshape(entry["shape"])
        except (KeyError, TypeError, ValueError) as error:
            raise Error(f"{path}: tensor {name!r} cannot be read ({error}); the file is damaged") from None
    return {name: tensor for name, tensor in tensors.items() if not name.startswith("optimizer.")}
