"""torch_model() computes what the program computed: logits and attention of a run's last snapshot."""

import re

import headlight
import numpy as np
import pytest
from conftest import refused
from headlight import programs

torch = pytest.importorskip("torch")
model_of = pytest.importorskip("headlight.encoder")

BASE = """
[task]
{task}
[model]
d_model = 16
{model}
[optimizer]
learning_rate = 0.01
[train]
steps = 10
{train}
batch_size = 8
eval_examples = 8
[patterns]
every = 0
examples = 8
"""
COPY = "name = copy\nsymbols = 6\nlength = 6\nmin_length = 2"
TABLE = "name = classes\nfile = {folder}/table.tsv"
CASES = {
    "packed, pre-norm": (COPY, "heads = 4; norm = pre; dropout = 0.1"),
    "post-norm, causal, gelu, learned": (
        COPY,
        "heads = 2; norm = post; causal = true; activation = gelu; positions = learned; max_length = 20",
    ),
    "widths of their own, shared keys": (
        COPY,
        "layers = 3; heads = 4, 2, 3; kv_heads = 2, 1, 1; d_k = 5; d_v = 3, 7, 2; activation = gelu_tanh",
    ),
    "tied, no biases, no positions": (COPY, "heads = 8; bias = false; tie_embedding = true; positions = none"),
    "tied with a bias, unscaled, a large epsilon": (
        COPY,
        "heads = 2; tie_embedding = true; tied_bias = true; scale_embedding = false; norm_eps = 0.125",
    ),
    "rotary, odd widths, shared keys": (
        COPY,
        "heads = 4, 2; kv_heads = 2, 1; d_k = 5, 8; positions = rotary; causal = true",
    ),
    "attention alone, post-norm, rotary": (COPY, "heads = 2; norm = post; feed_forward = none; positions = rotary"),
    "attention alone, pre-norm": (COPY, "heads = 2; feed_forward = none; scale_residual = true"),
    "gated, silu, pre-norm, rotary": (COPY, "heads = 2; feed_forward = gated; activation = silu; positions = rotary; d_ff = 37"),
    "gated, gelu, post-norm, no biases": (COPY, "heads = 4; feed_forward = gated; activation = gelu; norm = post; bias = false; scale_residual = true"),
    "RMS norm, pre-norm, gated": (COPY, "heads = 2; norm_kind = rms; feed_forward = gated; activation = silu; positions = rotary"),
    "RMS norm, post-norm, transform": (COPY, "heads = 2; norm_kind = rms; norm = post; embedding_norm = true; head = transform"),
    "as ModernBERT": (
        COPY,
        "layers = 4; heads = 2; embedding_norm = true; first_norm = false; scale_embedding = false; activation = gelu; "
        "feed_forward = gated; positions = rotary; rotary_theta = 160000; rotary_theta_local = 100; window = 4; "
        "global_every = 3; norm_bias = false; attention_bias = false; feed_forward_bias = false; head_bias = false; "
        "head = transform; tie_embedding = true; norm_eps = 1e-5",
    ),
    "windows, causal, biases of norms alone": (
        COPY, "heads = 4, 2; kv_heads = 2, 1; window = 3; causal = true; bias = false; norm_bias = true"
    ),
    "windows, odd, every layer": (COPY, "layers = 3; heads = 2; window = 5; attention_bias = true; bias = false"),
    "heads held off": (COPY, "layers = 3; heads = 4, 2, 3; d_k = 4; d_v = 5 | off = L0H1, L1H*@10-, L2H0@0-10"),
    "as BERT": (
        COPY,
        "heads = 2; norm = post; norm_eps = 1e-12; positions = learned; token_types = 2; embedding_norm = true; "
        "scale_embedding = false; activation = gelu; head = transform; tie_embedding = true",
    ),
    "as ELECTRA": (
        COPY,
        "heads = 2; norm = post; embedding_size = 6; embedding_norm = true; head = transform; tie_embedding = true; "
        "token_types = 1",
    ),
    "as RoBERTa": (
        COPY,
        "heads = 2; positions = learned; position_offset = 2; activation = quick_gelu; head = transform",
    ),
    "classes, a pooler": (TABLE, "heads = 2; pooler = tanh; dropout_pooler = 0.1"),
    "classes of the mean": (TABLE, "heads = 2; pooling = mean; pooler = gelu"),
    "classes of the last": (TABLE, "heads = 2; activation = silu; pooling = last; causal = true"),
    "pairs of texts": (TABLE + "\ntext_column = text,other", "heads = 2"),
    "tied, more rows than tokens": (
        "name = next\nlength = 8\nfile = {folder}/table.tsv",
        "heads = 2; tie_embedding = true; vocabulary = 40",
    ),
}


def made(name, folder):
    task, model = CASES[name]
    words = "red green blue old new cat dog king queen sees".split()
    rng = np.random.default_rng(1)
    rows = [
        [" ".join(rng.choice(words, rng.integers(1, 6))), " ".join(rng.choice(words, 2)), str(i % 3)] for i in range(60)
    ]
    (folder / "table.tsv").write_text("text\tother\tlabel\n" + "".join("\t".join(row) + "\n" for row in rows))
    model, _, train = model.partition(" | ")
    text = BASE.format(task=task.format(folder=folder), model=model.replace("; ", "\n"), train=train)
    (folder / "run.ini").write_text(text)
    return headlight.train(folder / "run.ini", out=folder / "run", progress=False)


def ids(snapshot, name):
    return torch.from_numpy(snapshot[name]).long()


@pytest.mark.parametrize("name", CASES)
def test_forward(name, tmp_path):
    run = made(name, tmp_path)
    snapshot = run.patterns[run.patterns.steps[-1]]
    tokens, lengths = ids(snapshot, "tokens"), ids(snapshot, "lengths")
    types = ids(snapshot, "types") if "types" in snapshot else None
    assert (types is not None) == ("pairs" in name) and not (types is not None and types.max() == 0)
    model = run.torch_model("checkpoint.safetensors")
    assert not model.training
    with torch.no_grad():
        logits, weights = model(tokens, lengths, types, return_weights=True)
    expected, real = snapshot["logits"], np.arange(tokens.shape[1]) < snapshot["lengths"][:, None]
    if run.config["model"]["pooling"] != "first":
        expected, real = expected[:, 0], np.ones(len(expected), dtype=bool)
    assert logits.shape == expected.shape
    assert np.abs(logits.numpy() - expected)[real].max() <= 1e-4
    for layer, found in enumerate(weights):
        recorded = snapshot[f"layer_{layer}"]
        assert found.shape == recorded.shape
        rows = (np.arange(tokens.shape[1]) < snapshot["lengths"][:, None])[:, None, :, None]
        assert np.abs((found.numpy() - recorded) * rows).max() <= 1e-5
    with torch.no_grad():
        one = int(lengths[0])
        alone = model(tokens[:1, :one], types=types[:1, :one] if types is not None else None)
    assert np.abs(alone.numpy()[0] - logits.numpy()[0][: len(alone[0])]).max() <= 1e-4, "without padding"


def test_best_weights_and_names(tmp_path):
    run = made("packed, pre-norm", tmp_path)
    state = run.torch_model().state_dict()
    assert {name: tuple(tensor.shape) for name, tensor in state.items()} == {
        name: array.shape for name, array in run.weights().items()
    }
    assert all(np.array_equal(state[name].numpy(), array) for name, array in run.weights().items())
    with pytest.raises(ValueError, match="model.max_length"):
        run.torch_model()(torch.zeros(1, 99, dtype=torch.long))


def test_dropout_where_one_trains_on(tmp_path):
    """Each kind of dropout that the config asks for is there, and no other."""
    run = made("classes, a pooler", tmp_path)
    tokens, model = ids(run.patterns[0], "tokens"), run.config["model"]
    kinds = [key for key in model if key.startswith("dropout_")]
    assert len(kinds) == 7
    for chosen in [None, *kinds]:
        model |= {key: 0.5 if key == chosen else 0.0 for key in kinds}
        trained_on = run.torch_model().train()
        assert torch.equal(trained_on(tokens), trained_on(tokens)) == (chosen is None), chosen


def test_what_it_cannot(tmp_path):
    run = made("packed, pre-norm", tmp_path)
    run.config["model"]["whirl"] = 3
    refused(run.torch_model, f"{run.path / 'config.ini'}: torch_model does not know model.whirl; use a newer one")
    del run.config["model"]["whirl"]
    run.config["model"]["norm"] = "sandwich"
    refused(run.torch_model, "torch_model cannot do model.norm = sandwich, only pre, post")
    run.config["model"]["norm"] = "post"
    with pytest.raises(headlight.Error, match="weights and config.ini do not fit"):
        run.torch_model()


def test_all_keys_are_known():
    """A key of [model] that the program knows is either computed or named here as one that changes nothing."""
    reference = programs.output_of("train", "--reference")
    section = reference.split("## [model]")[1].split("## [")[0]
    keys = re.findall(r"^\| `(\w+)` \|", section, re.M)
    assert len(keys) > 30 and set(keys) <= model_of.KEYS, set(keys) - model_of.KEYS
    for key, known in model_of.CHOICES.items():
        values = re.search(rf"^\| `{key}` \| ([^|]*) \|", section, re.M)[1].split(", ")
        assert set(values) - {"none"} <= {str(value).lower() for value in known}, (key, values)
