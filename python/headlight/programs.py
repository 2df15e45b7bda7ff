"""The programs: where they are, and what they say."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from headlight.files import Error


def find(name: str) -> str:
    """`train` as it lies in a folder of a build, or headlight-train as it is installed: in HEADLIGHT_BIN where that is
    set, else in the build beside this package's tree, else on the PATH."""
    given = os.environ.get("HEADLIGHT_BIN")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "build"
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
