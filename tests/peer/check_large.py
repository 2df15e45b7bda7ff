#!/usr/bin/env python3
"""train on two gigabytes of text: memory, the first step with a finished cache, and a run that is killed and resumed.

usage: HEADLIGHT_LARGE=DIR check_large.py TRAIN [--bytes N]

Makes the text in a folder of its own in DIR, where 6 GB should be free; without DIR exits with 77, which ctest reports
as skipped. It holds sentences of 40,000 invented words. A masked model's run of 60 steps takes at most 300 MiB at its
peak, parameters, optimizer and activations included. A second run with the same cache takes its first step within 5
seconds; it is killed after a checkpoint and resumed, and has the first one's weights to the last bit.
"""

import argparse
import itertools
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = """
[task]
name = masked
length = 128
file = {folder}/text.txt
cache = {folder}/cache
[tokens]
kind = wordpiece
size = 16000
[model]
layers = 2
d_model = 128
heads = 4
[optimizer]
name = adamw
learning_rate = 0.001
[train]
steps = 60
batch_size = 32
eval_every = 0
eval_examples = 64
checkpoint_every = 10
log_every = 1
[patterns]
every = 0
examples = 0
"""


def write_text(path, size):
    draw = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(draw.choices(letters, range(26, 0, -1), k=draw.randint(2, 9))) for _ in range(40000)]
    sums = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    written = 0
    with open(path, "w", encoding="ascii") as file:
        while written < size:
            sentences = [" ".join(draw.choices(words, cum_weights=sums, k=draw.randint(5, 25))) for _ in range(5000)]
            for _ in range(20):  # drawing every word would take long
                draw.shuffle(sentences)
                written += file.write(".\n".join(sentences) + ".\n")


def numbers_of(path):
    content = path.read_bytes()
    return content[8 + struct.unpack("<Q", content[:8])[0] :]


def has_row(metrics, step):
    return metrics.is_file() and any(row.startswith(f"{step},train") for row in metrics.read_text().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("--bytes", type=int, default=2_000_000_000)
    arguments = parser.parse_args()
    if "HEADLIGHT_LARGE" not in os.environ:
        print("skipped: no HEADLIGHT_LARGE")
        sys.exit(77)
    with tempfile.TemporaryDirectory(dir=os.environ["HEADLIGHT_LARGE"]) as name:
        folder = Path(name)
        write_text(folder / "text.txt", arguments.bytes)
        (folder / "large.ini").write_text(CONFIG.format(folder=folder))
        command = [arguments.train, folder / "large.ini", "--quiet", "--out"]
        begin = time.perf_counter()
        child = subprocess.Popen([*command, folder / "whole"])
        _, status, usage = os.wait4(child.pid, 0)
        memory, whole = usage.ru_maxrss / 1024, time.perf_counter() - begin
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit("the first run failed")
        begin = time.perf_counter()
        child = subprocess.Popen([*command, folder / "killed"])
        metrics = folder / "killed" / "metrics.csv"
        while child.poll() is None and not has_row(metrics, 1):
            time.sleep(0.01)
        first = time.perf_counter() - begin
        while child.poll() is None and not has_row(metrics, 15):
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        subprocess.run([*command, folder / "killed", "--resume"], check=True)
        same = numbers_of(folder / "whole" / "model.safetensors") == numbers_of(folder / "killed" / "model.safetensors")
        print(f"whole run {whole:.0f} s, peak {memory:.0f} MiB; first step with a cache after {first:.2f} s; "
              f"killed and resumed: {'the same' if same else 'OTHER'} weights")
        sys.exit(memory > 300 or first > 5 or not same)


if __name__ == "__main__":
    main()
