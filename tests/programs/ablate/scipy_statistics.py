#!/usr/bin/env python3
"""The means, confidence intervals and p values of a sweep's table, computed by SciPy from ablation.csv alone.

usage: scipy_statistics.py ABLATE_PROGRAM

Runs a tiny sweep, reads the table that it leaves as Markdown, and compares every number with what numpy and scipy.stats
make of the CSV, to the digits shown; a training that failed must be left out. Exits with 77, which ctest reports as
skipped, where SciPy is not installed.
"""

import csv
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    from scipy import stats
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

CONFIG = """
[task]
name = copy
length = 3
symbols = 4
[model]
layers = 2
d_model = 16
heads = 2
d_ff = 32
[optimizer]
learning_rate = 0.01
warmup_steps = 5
[train]
steps = 24
batch_size = 8
eval_examples = 10
eval_every = 4
[patterns]
examples = 4
"""
TARGET = 0.4


def shown(values, decimals):
    """As the table has it: mean ±half-width."""
    values = np.asarray(values, dtype=float)
    if len(values) == 0:
        return "-"
    if len(values) == 1:
        return f"{values[0]:.{decimals}f}"
    error = stats.sem(values)
    half = error * stats.t.ppf(0.975, len(values) - 1)
    if error > 0:
        low, high = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=error)
        assert math.isclose(half, (high - low) / 2, rel_tol=1e-9)
    return f"{values.mean():.{decimals}f} ±{half:.{decimals}f}"


def same(text, expected):
    """Whether two cells are alike: the same words, numbers equal but for the last digit's rounding."""
    number = r"-?\d+\.?\d*"
    ours, theirs = re.findall(number, text), re.findall(number, expected)
    if re.sub(number, "#", text) != re.sub(number, "#", expected) or len(ours) != len(theirs):
        return False
    decimals = max((len(n.partition(".")[2]) for n in ours), default=0)
    return all(abs(float(a) - float(b)) <= 1.01 * 10**-decimals for a, b in zip(ours, theirs))


def table_of(markdown):
    """The first table of the text; the second is that of the labels' births."""
    first = markdown[markdown.index("\n|") :].strip().split("\n\n")[0]
    lines = first.splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def p_value(own, base):
    seeds = [seed for seed in own if seed in base]
    if len(seeds) < 2:
        return "-"
    p = stats.ttest_rel([own[s] for s in seeds], [base[s] for s in seeds]).pvalue
    return "-" if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def check(folder):
    with open(folder / "ablation.csv", newline="") as file:
        cells = list(csv.DictReader(file))
    names = list(dict.fromkeys(cell["cell"] for cell in cells))
    losses = {
        name: {c["seed"]: float(c["validation_loss"]) for c in cells if c["cell"] == name and c["status"] == "done"}
        for name in names
    }
    table = table_of((folder / "ablation.md").read_text())
    assert len(table) == len(names), (names, table)
    numbers = 0
    for name, row in zip(names, table):
        done = [c for c in cells if c["cell"] == name and c["status"] == "done"]
        column = lambda key: [float(c[key]) for c in done if c[key] != ""]
        for cell in done:
            assert math.isclose(float(cell["perplexity"]), math.exp(float(cell["validation_loss"])), rel_tol=1e-8)
        reached = column("steps_to_target")
        expected = {
            "validation loss": shown(column("validation_loss"), 4),
            "perplexity": shown(column("perplexity"), 3),
            "accuracy %": shown([100 * a for a in column("accuracy")], 2),
            "seconds": shown(column("seconds"), 1),
            f"steps to {100 * TARGET:g}%": f"{shown(reached, 0)} ({len(reached)}/{len(done)})",
            "p": "-" if name == "base" else p_value(losses[name], losses["base"]),
        }
        for key, value in expected.items():
            assert same(row[key], value), f"{name}: {key}: the table has {row[key]!r}, SciPy {value!r}"
            numbers += value != "-"
    return numbers


def main():
    with tempfile.TemporaryDirectory() as scratch:
        config, folder = Path(scratch) / "tiny.ini", Path(scratch) / "sweep"
        config.write_text(CONFIG)
        command = [sys.argv[1], str(config), "--heads", "1,2,4", "--vary", "train.steps=24,6", "--seeds", "4",
                   "--target", str(TARGET), "--out", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        numbers = check(folder)
        assert numbers >= 30, numbers
        # With one training gone, three pairs are left for its row.
        text = (folder / "ablation.csv").read_text().splitlines(keepends=True)
        broken = next(path for path in sorted(folder.iterdir()) if path.name == "heads=4,train.steps=24,seed=3")
        (broken / "metrics.csv").write_text("damaged\n")
        (broken / "checkpoint.safetensors").write_text("damaged\n")
        assert any(line.startswith("heads=4 train.steps=24,3,") for line in text)
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert result.returncode == 1, result.returncode
        numbers += check(folder)
    print(f"{numbers} numbers agree")


main()
