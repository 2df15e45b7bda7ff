#!/usr/bin/env python3
"""What train.tensorboard writes, read by TensorBoard itself.

usage: check_tensorboard.py TRAIN ABLATE

A run that was killed (SIGKILL) and resumed must have every figure of metrics.csv at every step once, the scores of
heads.csv, images that decode to the size that they tell, and the config; a sweep of two rows must be a table of
hyperparameters with the right values and metrics. The pages' own data are asked of a TensorBoard that is started here,
with its fast loader and without. Exits with 77, which ctest reports as skipped, where tensorboard is missing.
"""

import csv
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from pathlib import Path

try:
    import tensorboard  # noqa: F401
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ON = "train.tensorboard=true"
STEPS = ["train.steps=120", "train.log_every=1", "train.checkpoint_every=20", "patterns.every=30"]


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def decode(png):
    """The width and height of a PNG, whose sums and pixels must be whole."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        content = png[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + content) == struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", content[:10])
            assert (depth, colours) == (8, 2), "not RGB"
        pixels += content if kind == b"IDAT" else b""
        at += 12 + size
    assert len(zlib.decompress(pixels)) == height * (1 + 3 * width)
    return width, height


def killed_and_resumed(train, folder):
    """Killed at moments between its rows, three times, then ended."""
    command = [train, "configs/copy_task.ini", "--quiet", "--resume", "--out", folder, ON, *STEPS]
    kills = 0
    for rows in 30, 60, 90:
        process = subprocess.Popen(command)
        metrics = Path(folder, "metrics.csv")
        while process.poll() is None and (not metrics.exists() or len(metrics.read_text().splitlines()) < rows):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
    assert kills > 0, "it was never killed"
    subprocess.run(command, check=True)
    return kills


def check_run(folder):
    events = EventAccumulator(folder, size_guidance={"scalars": 0, "images": 0, "tensors": 0})
    events.Reload()
    tags = events.Tags()
    found = {}
    for tag in tags["scalars"]:
        for event in events.Scalars(tag):
            assert (tag, event.step) not in found, f"two values of {tag} at {event.step}"
            found[tag, event.step] = event.value
    fields = 0
    with open(os.path.join(folder, "metrics.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for name in row.keys() - {"step", "split"}:
                key = f"{name}/{row['split']}", int(row["step"])
                assert (key in found) == (row[name] != ""), key
                if row[name] != "":
                    fields += 1
                    assert near(found[key], float(row[name])) or name == "tokens_per_second", key
    scores = 0
    with open(os.path.join(folder, "heads.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = f"heads.{row['metric']}/L{row['layer']}H{row['head']}", int(row["step"])
            if key in found:
                scores += 1
                assert near(found[key], float(row["value"])), key
    assert fields + scores == len(found), "values that stand in no file"
    snapshots = sorted(int(path.stem[5:]) for path in Path(folder, "patterns").glob("*.npz"))
    for tag in tags["images"]:
        assert [image.step for image in events.Images(tag)] == snapshots, tag
        for image in events.Images(tag):
            assert decode(image.encoded_image_string) == (image.width, image.height)
    assert len(tags["images"]) == 8 and tags["tensors"] == ["config", "_hparams_/session_start_info"], tags
    text = events.Tensors("config")[0].tensor_proto.string_val[0].decode()
    assert "heads = 4\n" in text, text
    print(f"{folder}: {fields} figures, {scores} scores, {len(tags['images'])} images at {len(snapshots)} steps")


def ask(port, path, **query):
    body = query.pop("body", None)
    url = f"http://127.0.0.1:{port}/data/plugin/{path}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(url, data=body and json.dumps(body).encode(), method="POST" if body else "GET")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def check_pages(work, fast, cells):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    board = subprocess.Popen(
        [sys.executable, "-m", "tensorboard.main", "--logdir", work, "--port", str(port), f"--load_fast={fast}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        runs, until = {}, time.monotonic() + 90
        while len(runs) < cells + 1 and time.monotonic() < until:
            time.sleep(0.5)
            try:
                runs = ask(port, "scalars/tags")
            except (urllib.error.URLError, ConnectionError):
                pass
        assert len(runs) == cells + 1, list(runs)
        points = ask(port, "scalars/scalars", run="run", tag="loss/train")
        assert [point[1] for point in points] == list(range(1, 121)), "a curve with a kink"
        assert len(ask(port, "images/images", run="run", tag="maps/L1H0", sample=0)) > 3
        groups = ask(port, "hparams/session_groups", body={
            "experimentName": "", "sliceSize": 100, "startIndex": 0,
            "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"],
            "colParams": [{"hparam": "model.heads", "includeInResult": True},
                          {"metric": {"tag": "loss/validation", "group": ""}, "includeInResult": True}],
        })["sessionGroups"]  # fmt: skip
        rows = {group["name"]: group for group in groups}
        assert len(rows) == cells + 1, list(rows)
        for name, row in rows.items():
            heads = 4 if name == "run" else int(name.split("heads=")[1].split(",")[0])
            assert row["hparams"]["model.heads"] == heads, row
            with open(os.path.join(work, name, "metrics.csv"), encoding="utf-8") as file:
                last = [line for line in csv.DictReader(file) if line["split"] == "validation"][-1]
            loss = [m["value"] for m in row["metricValues"] if m["name"]["tag"] == "loss/validation"]
            assert len(loss) == 1 and near(loss[0], float(last["loss"])), (name, loss, last)
        print(f"load_fast={fast}: curves, images and a table of {len(rows)} runs")
    finally:
        board.terminate()
        board.wait()


def main():
    train, ablate = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as work:
        os.chdir(os.path.dirname(train))
        run = os.path.join(work, "run")
        print(f"killed {killed_and_resumed(train, run)} times")
        check_run(run)
        subprocess.run([ablate, "configs/copy_task.ini", "--heads", "1,2", "--seeds", "1", ON, "train.steps=20",
                        "--out", os.path.join(work, "sweep")], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        for fast in "false", "true":
            check_pages(work, fast, 3)  # the base of the sweep too


main()
