#!/usr/bin/env python3
"""That torch_step.py and jax_step.py train the model that bench trains; gpt2 and modernbert, smaller, PyTorch's alone.

usage: check_steps.py TRAIN

From the weights of a short training of ours, without dropout: the logits of the last snapshot within 1e-4, the loss of
validation within 1e-5; then, over a few updates on that batch, PyTorch's and JAX's losses within 1e-5 of each other.
Exits with 77, which ctest reports as skipped, without PyTorch, JAX or NumPy.
"""

import csv
import dataclasses
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

try:
    import numpy as np
    import jax_step
    import torch_step
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from steps import ENCODERS, WORKLOADS

EXAMPLES, UPDATES = 8, 5
CONFIGS = Path(__file__).resolve().parent.parent.parent / "configs" / "bench"


def read_weights(path):
    """The model's tensors of a checkpoint, by the format's own description: length, JSON header, numbers."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        if name.startswith(("embedding.", "embedding_norm.", "positions.", "encoder.", "head.", "output.")):
            begin, end = (start + at for at in entry["data_offsets"])
            tensors[name] = np.frombuffer(content[begin:end], "<f4").reshape(entry["shape"]).copy()
    return tensors


def near(what, found, expected, tolerance):
    error = np.abs(np.asarray(found) - np.asarray(expected)).max()
    print(f"{what}: {error:.2g} apart")
    if not error <= tolerance:
        sys.exit(f"{what}: more than {tolerance:g} apart")


def train(program, workload, sizes, out):
    keys = [f"task.length={sizes.length}", f"task.symbols={sizes.vocabulary - 3}", f"model.layers={sizes.layers}"]
    keys += [f"model.{key}={getattr(sizes, key)}" for key in ("d_model", "heads", "d_ff")]
    keys += [f"model.window={sizes.window}"] if sizes.window else []
    keys += ["model.dropout=0", "train.steps=20", f"train.eval_examples={EXAMPLES}", f"patterns.examples={EXAMPLES}"]
    keys += ["patterns.every=0", "optimizer.learning_rate=0.001", "model.initial_std=0"]
    command = [program, CONFIGS / f"{workload}.ini", *keys, "--out", out, "--quiet"]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"train failed on {workload}")
    rows = list(csv.DictReader((out / "metrics.csv").open()))
    loss = next(float(row["loss"]) for row in reversed(rows) if row["split"] == "validation")
    return read_weights(out / "checkpoint.safetensors"), np.load(max((out / "patterns").glob("*.npz"))), loss


def check(program, workload, folder, **smaller):
    sizes = dataclasses.replace(WORKLOADS[workload], batch=EXAMPLES, **smaller)
    weights, snapshot, loss = train(program, workload, sizes, folder / workload)
    tokens = snapshot["tokens"]
    assert (snapshot["targets"] == tokens).all() and tokens.shape == (EXAMPLES, sizes.length)
    losses = []
    for side in (torch_step,) if workload not in ENCODERS else (torch_step, jax_step):
        training = side.Training(sizes, 0)
        training.load(weights, tokens)
        near(f"{workload}, logits of {side.__name__}", training.logits(), snapshot["logits"], 1e-4)
        losses.append([training.step() for _ in range(UPDATES)])
        near(f"{workload}, loss of {side.__name__}", losses[-1][0], loss, 1e-5)
    if workload in ENCODERS:
        near(f"{workload}, losses over {UPDATES} updates", *losses, 1e-5)
    assert losses[0][0] > losses[0][-1]


def main():
    with tempfile.TemporaryDirectory() as name:
        program, folder = Path(sys.argv[1]).resolve(), Path(name)
        check(program, "tiny", folder)
        check(program, "small", folder)
        check(program, "gpt2", folder, length=16, d_model=48, heads=4, layers=2, d_ff=96, vocabulary=40)
        small = {"length": 16, "d_model": 48, "heads": 4, "layers": 5, "d_ff": 40, "vocabulary": 40}
        check(program, "modernbert", folder, window=6, **small)


main()
