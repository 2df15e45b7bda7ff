#!/usr/bin/env python3
"""Counts what predict answers on a treebank, and compares with what its --score says.

usage: check_predict.py TRAIN PREDICT

The treebank is English EWT's in HEADLIGHT_DATA=DIR (ewt/*train*.conllu and *dev*.conllu). A small run is trained on it,
predict tags the dev file, and this script, which shares no code with Headlight, reads both files: all but the column must
be the same bytes, and the share of right words and every label's F1 those of --score. Exits with 77, which ctest
reports as skipped, where the treebank is missing.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

UPOS = 3
CONFIG = """[task]
name = tags
file = {train}
validation_file = {dev}
column = UPOS
[tokens]
kind = wordpiece
size = 4000
[model]
layers = 1
d_model = 64
heads = 4
d_ff = 128
max_length = 64
[train]
steps = 150
batch_size = 32
eval_every = 150
out = {out}
[patterns]
examples = 0
"""


def words(content):
    """(the bytes without the column, the values of the column) of each word."""
    rest, values = [], []
    for line in content.split(b"\n"):
        columns = line.split(b"\t")
        if not line.startswith(b"#") and len(columns) == 10 and columns[0].isdigit():
            values.append(columns[UPOS])
            columns[UPOS] = b""
        rest.append(b"\t".join(columns))
    return rest, values


def main():
    train, predict = (Path(path).resolve() for path in sys.argv[1:3])
    data = Path(os.environ.get("HEADLIGHT_DATA", "/nonexistent")) / "ewt"
    files = [sorted(data.glob(f"*{part}*.conllu*")) for part in ("train", "dev")]
    if not all(files):
        print("skipped: no treebank in HEADLIGHT_DATA/ewt")
        sys.exit(77)
    dev = files[1][0]
    with tempfile.TemporaryDirectory(prefix="headlight-predict-") as folder:
        run, config = Path(folder) / "run", Path(folder) / "tags.ini"
        config.write_text(CONFIG.format(train=files[0][0], dev=dev, out=run))
        subprocess.run([train, config, "--quiet"], check=True)
        said = subprocess.run([predict, run, dev], check=True, stdout=subprocess.PIPE).stdout
        scores = json.loads(subprocess.run([predict, run, "--score", dev, "--json"], check=True,
                                           stdout=subprocess.PIPE).stdout)
    (gold_rest, gold), (said_rest, tags) = words((gzip.open if dev.suffix == ".gz" else open)(dev, "rb").read()), words(said)
    assert gold_rest == said_rest, "more than the column has changed"
    right = sum(a == b for a, b in zip(gold, tags))
    print(f"{len(gold)} words, accuracy {right / len(gold):.4f}; --score: {scores['accuracy']:.4f}, "
          f"macro F1 {scores['macro_f1']:.4f}")
    assert scores["targets"] == len(gold) and scores["right"] == right, (len(gold), right, scores)
    f1 = []
    for label in scores["classes"]:
        name = label["label"].encode()
        cases, found = gold.count(name), tags.count(name)
        both = sum(a == b == name for a, b in zip(gold, tags))
        assert (label["cases"], label["found"], label["right"]) == (cases, found, both), (label, cases, found, both)
        assert found + cases == 0 or abs(label["f1"] - 2 * both / (cases + found)) < 1e-6
        f1 += [2 * both / (cases + found)] if cases > 0 else []
    assert abs(scores["macro_f1"] - sum(f1) / len(f1)) < 1e-6


if __name__ == "__main__":
    main()
