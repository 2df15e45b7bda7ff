"""Training by the program, with a progress bar."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import IO, Any

from headlight import programs
from headlight.run import Run

BAR, COLUMNS = 24, 79  # of the bar; of the line with what it tells


def override(key: str, value: Any) -> str:
    """model_heads=(4, 2) and "model.heads": (4, 2) are model.heads=4, 2 on the command line."""
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    return f"{key if '.' in key else key.replace('_', '.', 1)}={value}"


def _is_shown(stream: Any) -> bool:
    """Whether a line can be written over: on a terminal, and in a notebook."""
    return bool(stream.isatty()) or type(stream).__module__.startswith("ipykernel")


def _follow(lines: Iterable[str], progress: bool) -> str:
    """Draws the bar; returns the run's folder, as the program names it."""
    folder, shown = "", progress and _is_shown(sys.stdout)
    for line in lines:
        named = re.match(r".* threads?, into (.+)\n|(.+): finished at step \d+ already;", line)
        if named and not folder:
            folder = named[1] or named[2]
        step = re.match(r"step +(\d+)/(\d+) ", line)
        if step and shown:
            done = BAR * int(step[1]) // int(step[2])
            told = re.sub(r"  lr \S+|  \S+ tok/s", "", line.strip())
            sys.stdout.write("\r" + f"{'█' * done}{'░' * (BAR - done)} {told:<{COLUMNS}}"[:COLUMNS])
            sys.stdout.flush()
    if shown:
        sys.stdout.write("\n")
    return folder


def _all_of(told: IO[str]) -> str:
    """With options as they are given here."""
    told.seek(0)
    return re.sub(r"--(resume|overwrite)\b", r"\1=True", told.read()).replace("--out DIR", 'out="DIR"')


def _interrupt(process: subprocess.Popen[str], told: IO[str]) -> None:
    """Lets the program save and end. A terminal and Jupyter interrupt it, too; a second time would end it at once."""
    time.sleep(0.5)
    if "interrupted" not in _all_of(told):
        process.send_signal(signal.SIGINT)
    process.communicate()


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
                _interrupt(process, told)
                sys.stderr.write("\n" + _all_of(told))
                raise
        text = _all_of(told)
    if status != 0:
        raise programs.error_of("train", status, text)
    sys.stderr.write(text)
    return Run(folder)
