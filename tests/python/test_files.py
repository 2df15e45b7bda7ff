"""Every kind of file: what is read, and which ones are refused with what line."""

import io
import json
import zipfile

import headlight
import numpy as np
import pytest
from conftest import FORMATS, refused
from headlight import files


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_config_values(tmp_path):
    config = files.read_config(
        written(
            tmp_path / "config.ini",
            """# Format: 1
[task]
name = classes ; a comment
text_column = 1
file = "a # \\"b\\" \\\\ \\x0a.txt"  # another
label_column =
[model]
heads = 4, 2
bias = false
[optimizer]
learning_rate = 1e-3
clip_norm = 1
""",
        )
    )
    assert config == {
        "task": {"name": "classes", "text_column": "1", "file": 'a # "b" \\ \n.txt', "label_column": ""},
        "model": {"heads": (4, 2), "bias": False},
        "optimizer": {"learning_rate": 0.001, "clip_norm": 1},
    }


@pytest.mark.parametrize("text", ["[task]\nname copy\n", "name = copy\n", "[task\n", '[task]\nfile = "a\n'])
def test_config_that_is_none(tmp_path, text):
    path = written(tmp_path / "config.ini", text)
    refused(lambda: files.read_config(path), f"{path}:{text.count(chr(10))}: is neither")


def test_csv(tmp_path):
    path = written(tmp_path / "metrics.csv", "step,split,loss\n0,train,1.5\n2,validation,\n4,tra")
    table = files.read_csv(path)
    assert list(table["step"]) == [0, 2] and list(table["split"]) == ["train", "validation"]
    assert table["loss"][0] == 1.5 and np.isnan(table["loss"][1])
    written(path, "step,split,loss\n0,train,1.5\n2,train\n")
    refused(lambda: files.read_csv(path), f"{path}:3: has 2 fields, the header 3")
    written(path, "step,split,loss\n0,train,1.5\n2,train,much\n")
    refused(lambda: files.read_csv(path), f"{path}:3: loss is 'much'")
    written(path, "")
    refused(lambda: files.read_csv(path), f"{path}: has no header")
    refused(lambda: files.read_csv(tmp_path / "none.csv"), "none.csv: cannot be read: No such file")
    path.write_bytes(b"step\n\xff\n")
    refused(lambda: files.read_csv(path), f"{path}: is not UTF-8")


def safetensors(metadata, tensors=(("a", "F32", [2], [0, 8]),), payload=b"\0\0\x80\x3f" * 2):
    header = {"__metadata__": metadata} if metadata is not None else {}
    header |= {
        name: {"dtype": dtype, "shape": shape, "data_offsets": offsets} for name, dtype, shape, offsets in tensors
    }
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + payload


def test_weights_of_others(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors(None))
    assert files.read_safetensors(path)["a"].tolist() == [1, 1]
    path.write_bytes(safetensors({"writer": "headlight"}))
    refused(lambda: files.read_safetensors(path), f"{path}: its checksum is not in its place")
    path.write_bytes(safetensors({"weights_format": "2"}))
    refused(lambda: files.read_safetensors(path), f"{path}: format 2, this Headlight reads up to 1; use a newer one")
    path.write_bytes(safetensors({"checkpoint_format": "9"}))
    refused(lambda: files.read_safetensors(path), f"{path}: format 9, this Headlight reads up to 4; use a newer one")
    for wrong in (
        ("a", "F32", [3], [0, 8]),
        ("a", "I7", [2], [0, 8]),
        ("a", "F32", [2], [0]),
        ("a", "F32", [2], [4, 12]),
    ):
        path.write_bytes(safetensors(None, [wrong]))
        refused(lambda: files.read_safetensors(path), f"{path}: tensor 'a' cannot be read")
    for wrong in (b"", b"12345678", (9).to_bytes(8, "little") + b"no JSON!!", (2).to_bytes(8, "little") + b"[]"):
        path.write_bytes(wrong)
        refused(lambda: files.read_safetensors(path), f"{path}: ", "no safetensors file")


@pytest.mark.parametrize("name", ["model.safetensors", "checkpoint.safetensors"])
def test_every_flipped_bit_of_weights(run, name):
    path = run.path / name
    whole = path.read_bytes()
    places = np.random.default_rng(1).integers(len(whole), size=60)
    for place in [*range(0, 120, 7), *places.tolist()]:
        damaged = bytearray(whole)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        refused(lambda: run.weights(name), f"{path}: ")
    path.write_bytes(whole[:-1])
    refused(lambda: run.weights(name), f"{path}: is damaged or was changed")


def test_newer_formats(run):
    """Each file of a newer format is refused in the words of the programs."""
    newer = "this Headlight reads up to"
    config = run.path / "config.ini"
    text = config.read_text()
    config.write_text(text.replace("# Format: 1", "# Format: 99"))
    refused(lambda: headlight.open(run.path), f"{config}: format 99, {newer} 1; use a newer one")
    config.write_text("# a comment before it\n" + text.replace("# Format: 1", "# Format: 99"))
    refused(lambda: headlight.open(run.path), f"{config}: format 99, {newer} 1; use a newer one")
    report = run.path / "report.html"
    page = report.read_text()
    report.write_text(page.replace('id="data">{"format":1', 'id="data">{"format":7'))
    refused(lambda: run.show(0, 0), f"{report}: format 7, {newer} 1; use a newer one")
    report.write_text(page.replace("dataset.only", "dataset.none"))
    refused(lambda: run.show(0, 0), f"{report}: an earlier Headlight wrote it", "writes it anew")
    snapshot = run.path / "patterns" / "step_000012.npz"
    arrays = dict(np.load(snapshot))
    arrays["format"] = np.array(9)
    np.savez(snapshot, **arrays)
    refused(lambda: run.patterns[12], f"{snapshot}: format 9, {newer} 2; use a newer one")
    arrays["format"] = np.array([1, 2])
    np.savez(snapshot, **arrays)
    refused(lambda: run.patterns[12], f"{snapshot}: its format is no number")


def test_damaged_snapshots(run):
    path = run.path / "patterns" / "step_000012.npz"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused(lambda: run.patterns[12], f"{path}: ", "damaged")
    place = whole.index(b"layer_0.npy") + 300
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    refused(lambda: run.patterns[12]["layer_0"], f"{path}: array layer_0: ", "damaged")
    with zipfile.ZipFile(path, "w") as archive:
        huge = io.BytesIO()
        np.lib.format.write_array_header_1_0(huge, {"descr": "<f4", "fortran_order": False, "shape": (1 << 40,)})
        archive.writestr("layer_0.npy", huge.getvalue())
        archive.writestr("layer_1.npy", b"no array")
    for name in ("layer_0", "layer_1"):
        refused(lambda: run.patterns[12][name], f"{path}: array {name}: ")
    with pytest.raises(KeyError):
        run.patterns[12]["layer_2"]


@pytest.mark.parametrize("name", ["1", "2", "3"])
def test_earlier_formats(name):
    run = headlight.open(FORMATS / name)
    assert run.patterns.steps == [2]
    snapshot = run.patterns[2]
    assert np.allclose(snapshot["layer_0"].sum(-1).max(-1), 1) and ("top_ids" in snapshot) == (name == "3")
    assert run.weights("checkpoint.safetensors")["embedding.weight"].shape == (
        len(run.vocabulary),
        run.config["model"]["d_model"],
    )


def test_folder_that_is_none(tmp_path):
    refused(lambda: headlight.open(tmp_path), f"{tmp_path}: is no folder of a run", "headlight.train")


@pytest.mark.parametrize(
    "key, value", [("name", None), ("layers", None), ("heads", None), ("layers", "x"), ("heads", "x")]
)
def test_damaged_config(run, key, value):
    path = run.path / "config.ini"
    lines = [
        f"{key} = {value}" if value else "" for line in path.read_text().splitlines() if line.startswith(f"{key} = ")
    ]
    assert lines != []
    path.write_text(
        "\n".join(line if not line.startswith(f"{key} = ") else lines[0] for line in path.read_text().split("\n"))
    )
    refused(lambda: headlight.open(run.path).show(0, 0), f"{path}: ", "the file is damaged")
