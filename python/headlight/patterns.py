"""Snapshots of every head's attention, whose arrays are read when they are asked for."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from headlight.files import Array, Error, check_format

SNAPSHOT_FORMAT = 2


class Snapshot(Mapping[str, Array]):
    """The arrays of patterns/step_N.npz by name (docs/formats.md): layer_0 is (examples, heads, queries, keys)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._names = [name.removesuffix(".npy") for name in self._archive().namelist()]
        if "format" in self._names:
            check_format(path, str(self["format"]), SNAPSHOT_FORMAT)

    def _archive(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self.path)
        except OSError as error:
            raise Error(f"{self.path}: cannot be read: {error.strerror}") from None
        except zipfile.BadZipFile as error:
            raise Error(
                f"{self.path}: {error}; the file is damaged: remove it, and the run has one step less"
            ) from None

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        with self._archive() as archive:
            try:
                with archive.open(name + ".npy") as file:
                    array: Array = np.lib.format.read_array(file, allow_pickle=False)
                    return array
            except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError, MemoryError) as error:
                raise Error(f"{self.path}: array {name}: {error}; the file is damaged") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Patterns(Mapping[int, Snapshot]):
    """Snapshots by step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = [re.fullmatch(r"step_(\d+)\.npz", path.name) for path in folder.glob("step_*.npz")]
        self._paths = dict(sorted((int(name[1]), folder / name[0]) for name in names if name))

    @property
    def steps(self) -> list[int]:
        return list(self._paths)

    def head(self, layer: int, head: int) -> Array:
        """One head over time: (steps, examples, queries, keys)."""
        if not self._paths:
            raise Error(f"{self.folder}: has no snapshots; train with patterns.examples above 0")
        return np.stack([snapshot[f"layer_{layer}"][:, head] for snapshot in self.values()])

    def __getitem__(self, step: int) -> Snapshot:
        return Snapshot(self._paths[step])

    def __iter__(self) -> Iterator[int]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
