"""Where the package finds the programs, and the programs at the command line."""

import io
import os
import signal
import subprocess
import sys
import time

import headlight
import pytest
from conftest import ROOT, refused
from headlight import programs


def write_program(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "headlight-train"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def module(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "headlight", *arguments], capture_output=True, text=True, check=False,
                          env=os.environ | environment)  # fmt: skip


def test_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_BIN", str(tmp_path))
    refused(lambda: programs.find("train"), f"HEADLIGHT_BIN={tmp_path} holds neither train nor headlight-train")
    path = write_program(tmp_path, "echo trouble >&2; exit 4")
    path.chmod(0o644)
    refused(lambda: programs.find("train"), "holds neither")
    path.chmod(0o755)
    assert programs.find("train") == str(path)
    refused(lambda: headlight.train("a.ini"), "trouble")
    write_program(tmp_path, "exit 7")
    refused(lambda: headlight.train("a.ini"), "train ended with status 7")


def test_order_of_folders(tmp_path, monkeypatch):
    """The package's own, as a wheel has them, then the tree's, then the PATH."""
    monkeypatch.delenv("HEADLIGHT_BIN", raising=False)
    monkeypatch.setattr(programs, "PACKAGE", tmp_path / "package")
    monkeypatch.setattr(programs, "TREE", tmp_path / "tree")
    monkeypatch.setenv("PATH", "")
    refused(lambda: programs.find("train"), "the PATH does not hold headlight-train", "HEADLIGHT_BIN")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    for folder in (tmp_path / "path", tmp_path / "tree" / "build", tmp_path / "package" / "bin"):
        path = write_program(folder, "exit 0")
        assert programs.find("train") == str(path)


def test_one_version():
    number = (ROOT / "CMakeLists.txt").read_text().split("project(headlight VERSION ")[1].split()[0]
    assert headlight.__version__ == number
    assert programs.output_of("train", "--version") == f"headlight {number}\n"
    assert f"\nversion: {number}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {number}" in (ROOT / "CHANGELOG.md").read_text()


def test_module(tmp_path):
    """python -m headlight PROGRAM becomes the program: its arguments, its words, its exit code."""
    assert module("train", "--version").stdout == f"headlight {headlight.__version__}\n"
    failed = module("train", str(tmp_path / "none.ini"))
    assert failed.returncode == 2 and failed.stderr.count("\n") == 1 and "none.ini" in failed.stderr
    write_program(tmp_path, 'echo "$0"; exit 9')
    assert module("train", HEADLIGHT_BIN=str(tmp_path)).returncode == 9
    usage = module("--help")
    assert usage.returncode == 0 and "python -m headlight PROGRAM" in usage.stdout
    assert module().returncode == 2
    unknown = module("trian")
    assert unknown.returncode == 1 and unknown.stderr.startswith("headlight: trian: no such program; there are train, ")
    nowhere = module("heads", HEADLIGHT_BIN=str(tmp_path))
    assert nowhere.returncode == 1 and "holds neither heads nor headlight-heads" in nowhere.stderr


def test_script_does_not_start_itself(tmp_path):
    """A script of pip that is found as the program would start itself for ever."""
    script = write_program(tmp_path, "")
    script.write_text(f"#!{sys.executable}\nfrom headlight.__main__ import train\ntrain()\n")
    told = subprocess.run([script], capture_output=True, text=True, check=False, timeout=30,
                          env=os.environ | {"HEADLIGHT_BIN": str(tmp_path)})  # fmt: skip
    assert told.returncode == 1 and "is no program but the script that looks for it" in told.stderr


class Terminal(io.StringIO):
    def isatty(self):
        return True


SLOW = r"""printf 'weights: 25%%, 9 s left\n[ 8/16] heads=1\nodd: 3%%\n' >&2
echo '[1/4] heads=1,seed=1'
echo answer"""


def test_lines_of_progress_are_asked_for(tmp_path, monkeypatch):
    """One every half second instead of every ten (programs/waiting.h)."""
    write_program(tmp_path, 'echo "$HEADLIGHT_PROGRESS"')
    monkeypatch.setenv("HEADLIGHT_BIN", str(tmp_path))
    assert programs.output_of("train") == "1\n"


@pytest.mark.parametrize("follow", [False, True])
def test_bar(tmp_path, monkeypatch, follow):
    """What the program says of its progress is drawn; standard output only where that is asked for."""
    write_program(tmp_path, SLOW)
    monkeypatch.setenv("HEADLIGHT_BIN", str(tmp_path))
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert programs.output_of("train", follow=follow) == "[1/4] heads=1,seed=1\nanswer\n"
    shown = sys.stdout.getvalue()
    assert "█" * 6 + "░" * 18 + " weights: 25%, 9 s left" in shown and "█" * 12 + "░" * 12 + " [ 8/16] heads=1 " in shown
    assert ("[1/4]" in shown) == follow and "odd" not in shown and shown.endswith("\n")


def test_progress_is_no_error(tmp_path, monkeypatch, capfd):
    write_program(tmp_path, SLOW + "\necho trouble >&2; exit 3")
    monkeypatch.setenv("HEADLIGHT_BIN", str(tmp_path))
    refused_text = pytest.raises(headlight.Error, programs.output_of, "train").value
    assert str(refused_text) == "odd: 3%\ntrouble" and capfd.readouterr().out == ""


def test_interrupted_verb(tmp_path):
    """The program is interrupted once, ends by itself, and Python goes on with KeyboardInterrupt."""
    write_program(tmp_path, f"trap 'echo caught >>{tmp_path}/caught; kill $!; exit 1' INT\n: >{tmp_path}/begun\nsleep 60 & wait")
    code = "from headlight import programs; programs.output_of('train')"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env=os.environ | {"HEADLIGHT_BIN": str(tmp_path)})  # fmt: skip
    wait = time.monotonic() + 30
    while not (tmp_path / "begun").exists() and time.monotonic() < wait:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1].strip().endswith("KeyboardInterrupt")
    assert (tmp_path / "caught").read_text() == "caught\n"
