"""The programs: where they are, and what they say."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
from pathlib import Path

from headlight.files import Error

NAMES = ("train", "heads", "predict", "ablate", "bench")
PACKAGE = Path(__file__).resolve().parent
TREE = PACKAGE.parents[1]  # where the package is used from the source tree


def version() -> str:
    """The version in the source tree's CMakeLists.txt, or as pip or apt has installed it."""
    if PACKAGE == TREE / "python" / "headlight" and (TREE / "CMakeLists.txt").is_file():
        found = re.search(r"^project\(headlight VERSION ([\d.]+)", (TREE / "CMakeLists.txt").read_text("utf-8"), re.M)
        if found:
            return found[1]
    return importlib.metadata.version("headlight")


def find(name: str) -> str:
    """`train` as it lies in a folder of a build, or headlight-train as it is installed: in HEADLIGHT_BIN where that is
    set, else in this package, which a wheel fills, else in the build beside this package's tree, else on the PATH."""
    given = os.environ.get("HEADLIGHT_BIN")
    for folder in [Path(given)] if given else [PACKAGE / "bin", TREE / "build"]:
        for candidate in (folder / name, folder / f"headlight-{name}"):
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return os.path.abspath(candidate)
    found = None if given else shutil.which(f"headlight-{name}")
    if found is None:
        where = f"HEADLIGHT_BIN={given} holds neither {name} nor" if given else "the PATH does not hold"
        raise Error(
            f"{where} headlight-{name}: set HEADLIGHT_BIN to the folder build/ of a built tree, or install Headlight"
        )
    return found


def error_of(name: str, status: int, told: str) -> Error:
    return Error(told.strip() or f"{name} ended with status {status} and said nothing")


def output_of(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [find(name), *arguments], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if done.returncode != 0:
        raise error_of(name, done.returncode, done.stderr)
    return done.stdout
