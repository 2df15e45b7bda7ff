"""The programs at the command line: python -m headlight train copy_task.ini, which headlight-train does as well."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from headlight import programs
from headlight.files import Error


def _become(name: str, arguments: list[str]) -> NoReturn:
    """Replaces this process by the program, which so receives signals and ends with its own exit code."""
    try:
        path = programs.find(name)
    except Error as failed:
        sys.exit(f"headlight: {failed}")
    if os.path.exists(sys.argv[0]) and os.path.samefile(path, sys.argv[0]):
        sys.exit(f"headlight: {path} is no program but the script that looks for it: set HEADLIGHT_BIN to another folder")
    os.execv(path, [f"headlight-{name}", *arguments])


def train() -> NoReturn:
    _become("train", sys.argv[1:])


def heads() -> NoReturn:
    _become("heads", sys.argv[1:])


def predict() -> NoReturn:
    _become("predict", sys.argv[1:])


def ablate() -> NoReturn:
    _become("ablate", sys.argv[1:])


def bench() -> NoReturn:
    _become("bench", sys.argv[1:])


def main() -> NoReturn:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"usage: python -m headlight PROGRAM [ARGUMENT ...]\n\nPROGRAM: {', '.join(programs.NAMES)}; "
              "python -m headlight PROGRAM --help shows its arguments")  # fmt: skip
        sys.exit(0 if arguments else 2)
    if arguments[0] not in programs.NAMES:
        sys.exit(f"headlight: {arguments[0]}: no such program; there are {', '.join(programs.NAMES)}")
    _become(arguments[0], arguments[1:])


if __name__ == "__main__":
    main()
