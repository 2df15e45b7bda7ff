"""Runs of bench and of its peers, each in a process of its own, for compare and plot."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
CLEARED = ["OPENBLAS_CORETYPE", "LIBXSMM_TARGET", "OMP_THREAD_LIMIT", "OMP_WAIT_POLICY"]  # what bench warns of
KEYS = {
    "batch": "train.batch_size",
    "length": "task.length",
    "d_model": "model.d_model",
    "heads": "model.heads",
    "d_ff": "model.d_ff",
}


def add_programs(parser, seconds):
    """The options that compare and plot share. `seconds` is the default."""
    bench = TREE / "build" / "bench"
    parser.add_argument("--bench", metavar="PROGRAM", default=str(bench), help="default: build/bench")
    parser.add_argument("--python", metavar="PROGRAM", default=sys.executable, help="default: what runs this")
    parser.add_argument("--seconds", type=float, default=seconds, help=f"of each run (default: {seconds})")


def said_by(command):
    """Its standard output. RuntimeError with the last line of its standard error, OSError."""
    environment = {name: value for name, value in os.environ.items() if name not in CLEARED}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
    return done.stdout


def run(command):
    """What the command prints as JSON; fails as said_by, or with RuntimeError where it prints none."""
    try:
        return json.loads(said_by(command))
    except ValueError:
        raise RuntimeError(f"{command[0]} printed no figures") from None


def check_peers(python, modules):
    """Before minutes of measuring: RuntimeError, OSError where the interpreter has no such module."""
    for module in modules:
        try:
            said_by([python, "-c", f"import {module}"])
        except RuntimeError as error:
            raise RuntimeError(f"{error} (docs/speed.md tells how to install it)") from None


def run_bench(arguments, workload, threads, sizes=None):
    """`sizes` (of KEYS) replace the workload's, here and below."""
    config = TREE / "configs" / "bench" / f"{workload}.ini"
    command = [arguments.bench, str(config), "--threads", str(threads), "--seconds", str(arguments.seconds)]
    command += [f"model.dropout={arguments.dropout}"] + (["train.precision=bf16"] if arguments.bf16 else [])
    command += [f"{KEYS[size]}={value}" for size, value in (sizes or {}).items()]
    return run(command + ["--json", "-"])["workloads"][0]


def run_peer(arguments, script, workload, threads, options=(), sizes=None):
    command = [arguments.python, str(HERE / script), workload, "--json", "--threads", str(threads)]
    command += ["--seconds", str(arguments.seconds), "--dropout", str(arguments.dropout), *options]
    for size, value in (sizes or {}).items():
        command += ["--" + size.replace("_", "-"), str(value)]
    return run(command)


def run_torch(arguments, workload, threads, compiled=False, sizes=None):
    options = (["--compile"] if compiled else []) + (["--bf16"] if arguments.bf16 else [])
    return run_peer(arguments, "torch_step.py", workload, threads, options, sizes)


def best(runs):
    return min(runs, key=lambda figures: figures["ms_median"])
