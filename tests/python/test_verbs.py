"""A model in Python answers what the programs answer."""

import json
import subprocess
from pathlib import Path

import headlight
import numpy as np
import pytest
from conftest import ROOT, refused
from headlight import programs

TINY = ROOT / "tests" / "pretrained" / "tiny"


def told(*arguments):
    return json.loads(subprocess.check_output([programs.find("heads"), *map(str, arguments), "--json"], stderr=subprocess.DEVNULL))


@pytest.fixture
def tokens(trained):
    """A text of the small run."""
    symbols = [token for token in trained.vocabulary if not token.startswith("<")]
    return f"{symbols[0]} {symbols[1]} <sep> <mask> <mask>", f"{symbols[2]} {symbols[1]} <sep> <mask> <mask>"


def same(table, rows):
    """The table has the numbers and texts of the program's rows."""
    assert len(rows) > 0
    for place, row in enumerate(rows):
        for name, value in row.items():
            if isinstance(value, (list, dict)):
                assert name not in table
                continue
            found = table[name][place]
            assert found == value or (value is None and (found is None or np.isnan(found))), (name, found, value)


def test_tables_are_the_program_s(run):
    model = headlight.model(run.path)
    same(model.table(), told("table", run.path)["heads"])
    same(model.importance(shapley=True), told("importance", run.path, "--shapley")["heads"])
    same(model.writes(), told("writes", run.path)["writers"])
    same(model.wires(), told("wires", run.path)["wires"])
    assert list(model.prune(once=True)["heads"]) == [3, 2]  # at least one in each layer


def test_patch(run, tokens):
    clean, corrupt = tokens
    rows = told("patch", run.path, "--clean", clean, "--corrupt", corrupt, "--position", 3, "--answer", clean.split()[0],
                "--wrong", corrupt.split()[0])["rows"]  # fmt: skip
    same(headlight.model(run.path).patch(clean, corrupt, position=3, answer=clean.split()[0], wrong=corrupt.split()[0]), rows)


def test_maps_and_rollout_are_arrays(run, tokens):
    model = headlight.model(run.path)
    arrays = model.maps(tokens[0], writes=True)
    assert arrays["layer_0"].shape == (1, 2, 5, 5) and arrays["write_1"].shape == (1, 1, 5, 8)
    assert np.allclose(arrays["layer_0"].sum(-1), 1, atol=1e-6)
    norms = model.maps(tokens[0], norms=True)["layer_0"]
    assert np.allclose(norms.sum(-1), 1, atol=1e-6) and not np.allclose(norms, arrays["layer_0"], atol=1e-3)
    assert model.rollout(tokens[0])["rollout"].shape == (2, 5, 5)


def test_show(run):
    """The whole report, or one head of it; an open model on a sentence."""
    model = headlight.model(run.path)
    page = (run.path / "report.html").read_text(encoding="utf-8")
    assert model.show().page == page
    assert model.show(head="L0H1").page == page.replace("<html ", '<html data-only="L0H1" ', 1)
    for name in ("L1H1", "L2H0", "head"):
        refused(lambda: model.show(head=name), f"has no head {name}")
    shown = headlight.model(TINY / "bert_masked").show("the cat sat", head="L0H1")
    assert 'data-only="L0H1"' in shown.page and "cat" in shown.page


def test_open_model(tmp_path):
    model = headlight.model(TINY / "bert_masked")
    sentences = ["the cat sat", "the dog barked"]
    assert len(model.table(sentences)["label"]) == len(told("map", model.path, "--input", "the cat sat")["heads"])
    vectors = model.embed(sentences)
    assert vectors.shape[0] == 2 and not np.allclose(vectors[0], vectors[1])
    answers = model.predict(["the [MASK] sat"], top=2)
    assert len(answers) == 1 and len(answers[0]["masks"]) == 1
    exported = model.export(tmp_path / "copy")
    assert (exported / "model.safetensors").is_file()
    refused(lambda: model.export(tmp_path / "copy"), "--overwrite")
    refused(lambda: model.table(["two\nlines"]), "is more than one line")
    refused(model.table, "has no examples of its own")
    refused(lambda: headlight.model(tmp_path), "holds no model")


def test_compare_leaves_the_run_as_it_was(run, trained):
    before = sorted(path.name for path in run.path.iterdir())
    table = headlight.model(run.path).compare(headlight.model(trained.path))
    assert list(table["closest_head"]) == [0, 1, 0] and np.allclose(np.asarray(table["js"], float), 0, atol=1e-6)
    assert sorted(path.name for path in run.path.iterdir()) == before


def test_ablate(config, tmp_path):
    table = headlight.ablate(config, d_k=[2, 4], seeds=2, out=tmp_path / "sweep", train_steps=4)
    assert len(table["cell"]) == 4 and set(table["status"]) == {"done"} and "validation_loss" in table
    assert {Path(tmp_path / "sweep" / name).is_dir() for name in ("d_k=2,seed=1", "d_k=4,seed=2")} == {True}
