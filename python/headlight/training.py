"""Training by the program, with a progress bar."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import IO, Any

from headlight import programs
from headlight.progress import Progress
from headlight.run import Run


def override(key: str, value: Any) -> str:
    """model_heads=(4, 2) and "model.heads": (4, 2) are model.heads=4, 2 on the command line."""
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    return f"{key if '.' in key else key.replace('_', '.', 1)}={value}"


def _follow(lines: Iterable[str], progress: bool) -> str:
    """Draws the bar; returns the run's folder, as the program names it."""
    folder, bar = "", Progress(progress)
    for line in lines:
        named = re.match(r".* threads?, into (.+)\n|(.+): finished at step \d+ already;", line)
        if named and not folder:
            folder = named[1] or named[2]
        bar.line(line)
    bar.end()
    return folder


def _all_of(told: IO[str]) -> str:
    """With options as they are given here."""
    told.seek(0)
    return re.sub(r"--(resume|overwrite)\b", r"\1=True", told.read()).replace("--out DIR", 'out="DIR"')


def train(config: str | os.PathLike[str], *, out: str | os.PathLike[str] | None = None, resume: bool = False,
          overwrite: bool = False, progress: bool = True, **overrides: Any) -> Run:  # fmt: skip
    """Trains as the config says and opens the run. Keys of the config are given as section_key:

        headlight.train("copy_task.ini", model_heads=8, train_steps=100, out="runs/eight")

    A config that is not there is looked for among the shipped ones. Interrupted, the run is saved; resume=True goes
    on."""
    command = [programs.find("train"), os.fspath(config), *(override(key, value) for key, value in overrides.items())]
    command += ["--resume"] * resume + ["--overwrite"] * overwrite
    command += ["--out", os.fspath(out)] if out is not None else []
    with tempfile.TemporaryFile("a+", encoding="utf-8", errors="replace") as told:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=told, encoding="utf-8",
                              errors="replace") as process:  # fmt: skip
            assert process.stdout is not None
            try:
                folder = _follow(process.stdout, progress)
                status = process.wait()
            except KeyboardInterrupt:
                programs.interrupt(process, lambda: _all_of(told))
                process.communicate()
                sys.stderr.write("\n" + _all_of(told))
                raise
        text = _all_of(told)
    if status != 0:
        raise programs.error_of("train", status, text)
    sys.stderr.write(text)
    return Run(folder)
