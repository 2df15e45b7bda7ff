"""The programs: where they are, and what they say."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from headlight.files import Error
from headlight.progress import Progress

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


def configs() -> Path:
    """The folder of the configs that Headlight comes with."""
    program = Path(find("train"))
    for folder in (program.parent / "configs", program.parents[1] / "share" / "headlight" / "configs"):
        if folder.is_dir():
            return folder.resolve()
    raise Error(f"{program}: has no configs beside it")


def error_of(name: str, status: int, told: str) -> Error:
    return Error(told.strip() or f"{name} ended with status {status} and said nothing")


def interrupt(process: subprocess.Popen[str], told: Callable[[], str]) -> None:
    """Lets the program save and end. A terminal and Jupyter interrupt it, too; a second time would end it at once."""
    time.sleep(0.5)
    if process.poll() is None and "interrupted" not in told():
        process.send_signal(signal.SIGINT)


def output_of(name: str, *arguments: str, follow: bool = False) -> str:
    """What the program prints, with a bar while it works. follow: its standard output says how far it is, too. An
    interrupt is passed on to the program, which then ends by itself."""
    bar = Progress()
    told: list[str] = []
    with subprocess.Popen([find(name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                          env=os.environ | {"HEADLIGHT_PROGRESS": "1"}) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None

        def read_errors(lines: Iterable[str]) -> None:
            told.extend(line for line in lines if not bar.line(line))

        reader = threading.Thread(target=read_errors, args=(process.stderr,))
        reader.start()
        try:
            lines = []
            for line in process.stdout:
                lines.append(line)
                if follow:
                    bar.line(line)
            process.wait()
        except KeyboardInterrupt:
            interrupt(process, lambda: "".join(told))
            raise
        finally:
            reader.join()
            bar.end()
    if process.returncode != 0:
        raise error_of(name, process.returncode, "".join(told))
    sys.stderr.write("".join(told))  # warnings
    return "".join(lines)
