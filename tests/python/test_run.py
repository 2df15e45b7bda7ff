"""A run in Python says what its files and the program `heads` say."""

import csv
import html
import json
import re
import subprocess
import sys

import headlight
import numpy as np
import pytest
from conftest import refused
from headlight import files, programs


def test_equal_to_heads(run):
    told = json.loads(subprocess.check_output([programs.find("heads"), run.path, "--json"]))["heads"]
    table, heads = run.table(), run.heads
    assert len(table["label"]) == len(told) == 3
    for place, row in enumerate(told):
        for name, value in row.items():
            found = table[name][place]
            assert found == value or (value is None and (found is None or np.isnan(found))), (name, found, value)
        last = (heads["step"] == 12) & (heads["layer"] == row["layer"]) & (heads["head"] == row["head"])
        for name, metric in (("entropy", "entropy"), ("confidence", "confidence"), ("loss_without", "loss_without")):
            found = np.asarray(heads["value"])[np.asarray(last & (heads["metric"] == metric))]
            assert found.tolist() == [row[name]], (metric, found, row[name])


def test_heads_of_newer_programs(run, tmp_path, monkeypatch):
    """What is told besides has a column; another format is refused."""
    program = tmp_path / "heads"
    row = {"layer": 1, "head": 0, "label": "mixed", "score": None, "told": "besides", "sure": True}
    program.write_text(f"#!/bin/sh\necho '{json.dumps({'format': 2, 'heads': [row, {**row, 'sure': None}]})}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("HEADLIGHT_BIN", str(tmp_path))
    table = run.table()
    assert (
        list(table["told"]) == ["besides"] * 2 and list(table["sure"]) == [True, None] and np.isnan(table["score"][0])
    )
    program.write_text("#!/bin/sh\necho '{\"format\": 3}'\n")
    refused(run.table, "heads table --json: format 3, this Headlight reads up to 2; use a newer one")


@pytest.mark.parametrize("name", ["metrics", "heads"])
def test_tables_are_the_files(trained, name):
    with open(trained.path / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    table = getattr(trained, name)
    assert len(rows) >= 10 and list(table) == list(rows[0])
    for column in rows[0]:
        for row, value in zip(rows, table[column], strict=True):
            assert np.isnan(value) if row[column] == "" else str(value) == row[column] or value == float(row[column])


def test_tables_without_pandas(trained, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(trained.metrics) is dict and trained.metrics["step"].dtype == np.int64


def test_tables_with_pandas(trained):
    pandas = pytest.importorskip("pandas")
    assert type(trained.metrics) is pandas.DataFrame
    assert trained.heads.query("metric == 'entropy' and step == 12").shape == (3, 6)


def test_patterns(trained):
    patterns = trained.patterns
    assert patterns.steps == sorted(patterns.steps) and patterns.steps[0] == 0 and patterns.steps[-1] == 12
    arrays = np.load(trained.path / "patterns" / "step_000012.npz")
    assert set(patterns[12]) == set(arrays) and all(np.array_equal(patterns[12][name], arrays[name]) for name in arrays)
    over_time = patterns.head(0, 1)
    assert over_time.shape == (len(patterns), 6, 7, 7) and np.array_equal(over_time[-1], arrays["layer_0"][:, 1])
    assert trained.heads_of_layers == [2, 1]
    ids = arrays["tokens"][1, : arrays["lengths"][1]]
    vocabulary = (trained.path / "vocab.txt").read_text().splitlines()
    assert trained.tokens(1) == [vocabulary[i] for i in ids] and "<sep>" in trained.tokens(1)


def test_patterns_are_read_when_asked_for(run):
    patterns = run.patterns
    snapshot = patterns[12]
    (run.path / "patterns" / "step_000012.npz").unlink()
    refused(lambda: snapshot["layer_0"], "step_000012.npz: cannot be read")
    assert patterns[0]["layer_0"].shape == (6, 2, 7, 7)


def test_run_without_snapshots(run):
    for path in (run.path / "patterns").iterdir():
        path.unlink()
    assert "no snapshots" in repr(run) and len(run.patterns) == 0
    refused(lambda: run.patterns.head(0, 0), "has no snapshots", "patterns.examples")
    refused(lambda: run.tokens(0), "has no snapshots")


def test_weights(trained):
    last = trained.weights("checkpoint.safetensors")
    assert set(last) == set(trained.weights()) and not any(name.startswith("optimizer") for name in last)
    assert last["encoder.layers.0.self_attn.in_proj_weight"].shape == (24, 8)
    assert last["encoder.layers.1.self_attn.q_proj_weight"].shape == (4, 8)


def test_show_is_the_report(trained):
    """The page with its first tag changed, in a frame that may run its script and nothing else (in a browser:
    tests/report/browser.py)."""
    shown = trained.show(0, 1)._repr_html_()
    frame = re.fullmatch(
        r'<iframe sandbox="allow-scripts" title="[^"]*L0H1" srcdoc="([^"]*)" style="[^"]*"></iframe>', shown
    )
    page = (trained.path / "report.html").read_text(encoding="utf-8")
    assert html.unescape(frame[1]) == page.replace('<html lang="en">', '<html data-only="L0H1" lang="en">', 1) != page
    for layer, head in ((1, 1), (2, 0), (-1, 0), (0, -1)):
        refused(lambda: trained.show(layer, head), f"has no head L{layer}H{head}", "2, 1 heads")


def test_texts_of_the_config_are_known():
    """Keys whose values are texts are those that the program knows as such."""
    section, texts = "", set()
    for line in programs.output_of("train", "--reference").splitlines():
        section = line[4:-1] if line.startswith("## [") else section
        found = re.match(r"\| `(\w+)` \| (?:text|path)\b", line)
        texts |= {f"{section}.{found[1]}"} if found else set()
    assert texts == files._TEXTS
