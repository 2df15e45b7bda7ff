"""A bar that shows how far a program is, in a terminal or a notebook."""

from __future__ import annotations

import re
import sys
import threading

BAR, COLUMNS = 24, 79  # of the bar; of the line with what it says

# How the programs say it: "step  20/250 ...", "[ 3/16] heads=2,seed=1 ...", "importance: 40%, 12 s left".
_STEP = re.compile(r"step +(\d+)/(\d+) |\[ *(\d+)/(\d+)\] |.+: (\d+)%, .+ left$")


def _is_shown() -> bool:
    """Whether a line can be written over: on a terminal, and in a notebook."""
    return bool(sys.stdout.isatty()) or type(sys.stdout).__module__.startswith("ipykernel")


class Progress:
    """Draws a line of a program that says how far it is; others are passed over."""

    def __init__(self, wanted: bool = True) -> None:
        self._shown = wanted and _is_shown()
        self._open = False
        self._lock = threading.Lock()  # a program's two streams are read by two threads

    def line(self, line: str) -> bool:
        """Whether the line says how far the program is."""
        found = _STEP.match(line.strip())
        if found is None:
            return False
        done, total = next((int(a), int(b or 100)) for a, b in zip(found.groups()[::2], (*found.groups()[1::2], None)) if a)
        told = re.sub(r"  lr \S+|  \S+ tok/s", "", line.strip())
        filled = BAR * done // max(total, 1)
        self._write("\r" + f"{'█' * filled}{'░' * (BAR - filled)} {told:<{COLUMNS}}"[:COLUMNS])
        return True

    def _write(self, text: str) -> None:
        """A bar that cannot be drawn is left out: what it tells about must go on."""
        with self._lock:
            try:
                if self._shown:
                    sys.stdout.write(text)
                    sys.stdout.flush()
                    self._open = True
            except (OSError, ValueError):  # closed, or letters that the terminal does not have
                self._shown = False

    def end(self) -> None:
        """Ends the line."""
        if self._open:
            self._write("\n")
            self._open = False
