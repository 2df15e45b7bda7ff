"""headlight.train runs the program, shows how far it is, passes on what is wrong and lets it save when interrupted."""

import io
import os
import signal
import subprocess
import sys
import time

import headlight
import pytest
from conftest import refused
from headlight import training


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_overrides_and_folder(config, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    run = headlight.train(config, model_heads=1, train_steps=2, model_bias=False, **{"patterns.every": 1})
    assert str(run.path) == "runs/small" and run.path.is_dir()
    assert (
        run.config["model"]["heads"] == 1 and run.config["model"]["bias"] is False and run.patterns.steps == [0, 1, 2]
    )
    assert capfd.readouterr() == ("", ""), "nothing is drawn where a line cannot be written over"
    refused(
        lambda: headlight.train(config, train_steps=2),
        "holds a run; continue it (resume=True), replace it (overwrite=True)",
        '(out="DIR")',
    )
    assert headlight.train(config, train_steps=3, overwrite=True).config["train"]["steps"] == 3
    run = headlight.train(config, train_steps=5, resume=True)
    assert str(run.path) == "runs/small" and run.patterns.steps[-1] == 5
    assert str(headlight.train(config, train_steps=5, resume=True).path) == "runs/small", "of a run that is finished"


def test_values_on_the_command_line():
    assert training.override("model_heads", (4, 2)) == "model.heads=4, 2"
    assert training.override("train_eval_every", 5) == "train.eval_every=5"
    assert training.override("model.bias", True) == "model.bias=true"


def test_what_is_wrong_is_the_program_s_line(config, tmp_path):
    refused(
        lambda: headlight.train(config, out=tmp_path / "a", model_heds=2),
        'model.heds: unknown key (did you mean "heads"?)',
    )
    refused(lambda: headlight.train(tmp_path / "none.ini"), "none.ini")


def test_progress(config, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    headlight.train(config, out=tmp_path / "a")
    lines = sys.stdout.getvalue().split("\r")
    assert lines[0] == "" and lines[-1].endswith("\n") and all(len(line.rstrip("\n")) == 79 for line in lines[1:])
    steps = [line.split("step")[1].split()[0] for line in lines[1:]]
    assert steps[0] == "0/12" and steps[-1] == "12/12" and "6/12" in steps
    assert lines[1].startswith("░" * 24 + " step") and lines[-1].startswith("█" * 24 + " step")
    assert ("█" * 12 + "░" * 12 + " step  6/12") in sys.stdout.getvalue() and "loss" in lines[-1]
    assert "tok/s" not in sys.stdout.getvalue()


@pytest.mark.parametrize(
    "whole_group", [False, True], ids=["python alone", "the whole group, as Jupyter and terminals do"]
)
def test_interrupted(config, tmp_path, whole_group):
    paths = f"{str(config)!r}, out={str(tmp_path / 'a')!r}"
    code = f"import headlight; headlight.train({paths}, train_steps=10**8, train_eval_every=0)"
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        metrics = tmp_path / "a" / "metrics.csv"
        wait = time.monotonic() + 30
        while not (metrics.exists() and metrics.read_text().count("\n") > 3) and time.monotonic() < wait:
            time.sleep(0.02)
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        told = process.communicate(timeout=30)[1]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert "interrupted after step" in told and "go on with resume=True" in told and "KeyboardInterrupt" in told, told
    run = headlight.open(tmp_path / "a")
    saved = run.weights("checkpoint.safetensors")
    assert saved and int(run.metrics["step"].max() if hasattr(run.metrics["step"], "max") else 0) > 0


PROGRAM = """#!{python} -SE
import signal, sys, time
times = []
def handler(*_):
    times.append(1)
    print(f"interrupted {{len(times)}}", file=sys.stderr, flush=True)
signal.signal(signal.SIGINT, handler)
print("step 1/9  loss", flush=True)
while not times:
    time.sleep(0.01)
for _ in range(100):
    time.sleep(0.01)
"""


@pytest.mark.parametrize("whole_group", [False, True])
def test_interrupted_once(tmp_path, whole_group):
    """A program that takes its time to save is interrupted exactly once, whoever was."""
    program = tmp_path / "train"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    code = "import headlight; headlight.train('a.ini')"
    environment = {**os.environ, "HEADLIGHT_BIN": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", f"import sys; sys.stdout.isatty = lambda: True; {code}"],
        start_new_session=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert "step 1/9" in process.stdout.read(40)
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        told = process.communicate(timeout=30)[1]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert "interrupted 1" in told and "interrupted 2" not in told and "KeyboardInterrupt" in told, told
