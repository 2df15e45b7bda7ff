"""The report's own page inside of a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path

from headlight.files import Error, check_format, read_text

REPORT_FORMAT = 1


class View:
    """A page that a notebook shows where it is a cell's last value."""

    def __init__(self, page: str, title: str, height: int) -> None:
        self.page, self.title, self.height = page, title, height

    def _repr_html_(self) -> str:
        # The page may run its own script and reach nothing else: neither the notebook nor a network.
        return (
            f'<iframe sandbox="allow-scripts" title="{html.escape(self.title)}" srcdoc="{html.escape(self.page)}" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"View({self.title!r})"


def page_of(path: Path, head: str | None, height: int) -> View:
    """A report's page: all of it, or the head of that name alone."""
    page = read_text(path)
    found = re.search(r'id="data">\{"format":(\d+)', page)
    check_format(path, found[1] if found else None, REPORT_FORMAT)
    if head is None:
        return View(page, f"{path}", height)
    if "dataset.only" not in page:
        raise Error(
            f"{path}: an earlier Headlight wrote it, which cannot show one head; the program heads writes it anew"
        )
    named = re.fullmatch(r"L(\d+)H(\d+)", head)
    if named is None or f'{{"layer":{int(named[1])},"head":{int(named[2])}' not in page:
        raise Error(f"{path}: has no head {head}")
    return View(page.replace("<html ", f'<html data-only="{head}" ', 1), f"{path}: {head}", height)


def view_of(path: Path, heads: Sequence[int], layer: int, head: int, height: int) -> View:
    """Of one head alone."""
    name = f"L{layer}H{head}"
    if not 0 <= layer < len(heads) or not 0 <= head < heads[layer]:
        raise Error(
            f"{path.parent}: has no head {name}; its layers have {', '.join(map(str, heads))} heads, counted from 0"
        )
    return page_of(path, name, height)
