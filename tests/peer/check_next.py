#!/usr/bin/env python3
"""train against PyTorch on the characters of a text: the setting of next.ini and next_torch.py.

usage: check_next.py TRAIN

Reads tinyshakespeare.txt in HEADLIGHT_DATA=DIR and runs both sides in turn, HEADLIGHT_SEEDS (3) times. The mean losses
on the last tenth must be within 0.01 of each other or ours the better; our time, of the whole program, at most 0.55 of
PyTorch's training steps. HEADLIGHT_STEPS (2000) may be fewer for a trial. Exits with 77, which ctest reports as
skipped, without the text or PyTorch.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run_ours(train, text, seed, steps, folder):
    out = Path(folder) / str(seed)
    command = [train, HERE / "next.ini", f"task.file={text}", f"train.seed={seed}", f"train.steps={steps}"]
    begin = time.perf_counter()
    subprocess.run([*command, "--out", out, "--quiet"], check=True)
    seconds = time.perf_counter() - begin
    rows = [row.split(",") for row in (out / "metrics.csv").read_text().splitlines()]
    loss = next(float(row[2]) for row in reversed(rows) if row[1] == "validation")
    return {"loss": loss, "seconds": seconds}


def run_torch(text, seed, steps):
    command = [sys.executable, HERE / "next_torch.py", text, "--seed", str(seed), "--steps", str(steps)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main():
    text = Path(os.environ.get("HEADLIGHT_DATA", "/nowhere")) / "tinyshakespeare.txt"
    if not text.is_file() or importlib.util.find_spec("torch") is None:
        print("skipped: no tinyshakespeare.txt in HEADLIGHT_DATA, or no PyTorch")
        sys.exit(77)
    seeds, steps = int(os.environ.get("HEADLIGHT_SEEDS", 3)), os.environ.get("HEADLIGHT_STEPS", "2000")
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, seeds + 1):
            ours.append(run_ours(sys.argv[1], text, seed, steps, folder))
            theirs.append(run_torch(text, seed, steps))
            print(f"seed {seed}: ours {ours[-1]}, PyTorch {theirs[-1]}", flush=True)
    loss, peer = (sum(run["loss"] for run in runs) / seeds for runs in (ours, theirs))
    share = sorted(run["seconds"] for run in ours)[seeds // 2] / sorted(run["seconds"] for run in theirs)[seeds // 2]
    print(f"loss {loss:.4f} against {peer:.4f}; {share:.2f} of PyTorch's time")
    sys.exit(loss > peer + 0.01 or share > 0.55)


if __name__ == "__main__":
    main()
