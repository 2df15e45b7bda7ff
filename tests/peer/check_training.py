#!/usr/bin/env python3
"""train against PyTorch: the same recipe on the same data, its score and its time.

usage: check_training.py TRAIN next|tags|masked

  next     next.ini, torch_next.py: characters of HEADLIGHT_DATA/tinyshakespeare.txt; the loss on the last tenth is at
           most PyTorch's plus 0.01 (the mean of three seeds), the time at most 0.55 of its
  tags     configs/own_tags.ini, torch_tags.py: HEADLIGHT_DATA/ewt/en_ewt-ud-{train,dev}.conllu.gz; the accuracy is at least
           PyTorch's minus 0.3, the time at most a third of its, which is spent on padding, too
  masked   masked.ini, torch_masked.py: random words; the time is at most 0.6 of PyTorch's whose output layer, too, runs
           on targets alone, the memory at most a third of PyTorch's whose output layer runs on all rows

Times are those of the training steps, as the median rate of real tokens a second: of every log_every steps ours, of
every step PyTorch's. HEADLIGHT_SEEDS and HEADLIGHT_STEPS may be fewer for a trial. Exits with 77, which ctest reports as skipped, without
the data or PyTorch.
"""

import importlib.util
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("HEADLIGHT_DATA", "/nowhere"))
TAGGER = HERE.parents[1] / "configs" / "own_tags.ini"
TREEBANK = [DATA / "ewt" / f"en_ewt-ud-{part}.conllu.gz" for part in ("train", "dev")]


def seeds(most):
    return range(1, 1 + int(os.environ.get("HEADLIGHT_SEEDS", most)))


def steps(most):
    return int(os.environ.get("HEADLIGHT_STEPS", most))


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def ours(train, config, n_steps, settings, out):
    settings = [*settings, f"train.steps={n_steps}"]
    child = subprocess.Popen([train, HERE / config, *settings, "--out", out, "--overwrite", "--quiet"])
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"train failed with {config} {' '.join(settings)}")
    rows = [row.split(",") for row in (out / "metrics.csv").read_text().splitlines()]
    last = next(row for row in reversed(rows) if row[1] == "validation")
    return {
        "loss": float(last[2]),
        "accuracy": 100 * float(last[3]),
        "tokens_per_second": statistics.median(float(row[6]) for row in rows if row[1] == "train"),
        "memory": usage.ru_maxrss / 1024,
    }


def theirs(script, *arguments):
    command = [sys.executable, HERE / script, *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def mean(runs, name):
    return sum(run[name] for run in runs) / len(runs)


def compare(pairs, name):
    """Prints both means of a score and the share of PyTorch's time; returns the three."""
    mine, peer = zip(*pairs)
    share = statistics.median(b["tokens_per_second"] / a["tokens_per_second"] for a, b in pairs)
    print(f"{name} {mean(mine, name):.4f} against {mean(peer, name):.4f}; {share:.3f} of PyTorch's time")
    return mean(mine, name), mean(peer, name), share


def check_next(train, folder):
    text, n_steps, pairs = DATA / "tinyshakespeare.txt", steps(2000), []
    if not text.is_file():
        skip("no tinyshakespeare.txt in HEADLIGHT_DATA")
    for seed in seeds(3):
        pairs.append((
            ours(train, "next.ini", n_steps, [f"task.file={text}", f"train.seed={seed}"], folder / "run"),
            theirs("torch_next.py", text, "--seed", str(seed), "--steps", str(n_steps)),
        ))
        print(f"seed {seed}: ours {pairs[-1][0]}, PyTorch {pairs[-1][1]}", flush=True)
    loss, peer, share = compare(pairs, "loss")
    return loss <= peer + 0.01 and share <= 0.55


def check_tags(train, folder):
    n_steps, pairs = steps(11760), []
    if not all(file.is_file() for file in TREEBANK) or importlib.util.find_spec("tokenizers") is None:
        skip("no ewt/en_ewt-ud-{train,dev}.conllu.gz in HEADLIGHT_DATA, or no tokenizers")
    settings = [f"task.file={TREEBANK[0]}", f"task.validation_file={TREEBANK[1]}", f"task.cache={folder / 'cache'}",
                "train.log_every=10"]  # fmt: skip
    for seed in seeds(1):
        mine = ours(train, TAGGER, n_steps, [*settings, f"train.seed={seed}"], folder / "run")
        peer = theirs("torch_tags.py", *TREEBANK, folder / "run" / "vocab.txt", "--seed", str(seed), "--steps",
                      str(n_steps))
        pairs.append((mine, peer))
        print(f"seed {seed}: ours {mine}, PyTorch {peer}", flush=True)
    accuracy, peer, share = compare(pairs, "accuracy")
    return accuracy >= peer - 0.3 and share <= 1 / 3


def check_masked(train, folder):
    words, n_steps = [f"w{i}" for i in range(30520)], steps(22)
    draw = random.Random(1)
    lines = [words[i : i + 20] for i in range(0, len(words), 20)]
    lines += [draw.choices(words, k=20) for _ in range(20000)]
    text = folder / "words.txt"
    text.write_text("".join(" ".join(line) + "\n" for line in lines))
    mine = ours(train, "masked.ini", n_steps, [f"task.file={text}"], folder / "run")
    sparse = theirs("torch_masked.py", "--json", "--steps", str(n_steps))
    dense = theirs("torch_masked.py", "--json", "--steps", "2", "--dense")
    milliseconds, memory = 1000 * 32 * 128 / mine["tokens_per_second"], mine["memory"]
    share, part = milliseconds / sparse["ms_median"], memory / dense["peak_rss_mib"]
    print(f"{milliseconds:.0f} ms a step against {sparse['ms_median']:.0f}, {share:.3f}; "
          f"{memory:.0f} MiB against {dense['peak_rss_mib']} of the dense output, {part:.3f}")
    return share <= 0.6 and part <= 1 / 3


def main():
    if "HEADLIGHT_DATA" not in os.environ or importlib.util.find_spec("torch") is None:
        skip("no HEADLIGHT_DATA, or no PyTorch")
    check = {"next": check_next, "tags": check_tags, "masked": check_masked}[sys.argv[2]]
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not check(sys.argv[1], Path(folder)))


if __name__ == "__main__":
    main()
