#!/usr/bin/env python3
"""Random models of the kinds xlm-roberta and camembert, against transformers (float64, attn_implementation = "eager").

usage: check_random.py VALUES_OF HEADS_PROGRAM

VALUES_OF is the program of tests/pretrained/values. Five shapes of each kind, with odd numbers of heads and odd widths,
tied and untied, of all tasks, stored as F32, F16 or BF16, whole or in shards: tokens are equal, hidden states, attention
weights and logits are within 1e-5 max(1, |x|), alone and several at once. `heads export` writes a folder that transformers
loads with no missing and no unexpected tensor, and that gives the same logits. Exits with 77, which ctest reports as
skipped, where transformers 5 is missing.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "pretrained"))

from check_export import load, torch, transformers
from make_tiny import LABELS, SENTENCEPIECE, SINGLE, WHOLE, numbers, unigram_pieces
from safetensors.torch import load_file

TOLERANCE = 1e-5
MASKED, TAGS, CLASSES, BARE = "ForMaskedLM", "ForTokenClassification", "ForSequenceClassification", "Model"
# The task; width, heads, layers, width of the feed-forward layer, positions; other fields; dtype, bytes of a shard.
SHAPES = [
    (MASKED, 15, 3, 2, 31, 40, {"type_vocab_size": 1}, torch.float32, None),
    (MASKED, 7, 1, 3, 5, 37, {"tie_word_embeddings": False, "layer_norm_eps": 1e-5}, torch.float16, None),
    (TAGS, 35, 5, 1, 17, 64, {"hidden_act": "relu"}, torch.bfloat16, None),
    (CLASSES, 49, 7, 2, 64, 51, {"type_vocab_size": 3, "hidden_act": "gelu_new"}, torch.float32, "20KB"),
    (BARE, 22, 11, 2, 9, 45, {}, torch.bfloat16, "10KB"),
]


def make(kind, shape, seed, folder):
    task, width, heads, layers, inner, positions, fields, dtype, shard = shape
    model_class = getattr(transformers, SENTENCEPIECE[kind][0].removesuffix("Tokenizer") + task)
    tokenizer = unigram_pieces(kind)
    sizes = {"hidden_size": width, "num_attention_heads": heads, "num_hidden_layers": layers, "intermediate_size": inner,
             "max_position_embeddings": positions, "vocab_size": len(tokenizer)}  # fmt: skip
    labels = LABELS if task in (TAGS, CLASSES) else {}
    config = model_class.config_class(**sizes, **SENTENCEPIECE[kind][2], **labels, **fields)
    model = model_class(config)
    numbers(model, seed)
    model.to(dtype).save_pretrained(folder, **({"max_shard_size": shard} if shard else {}))
    tokenizer.save_pretrained(folder)
    return model_class.__name__


def texts_of(tokenizer, seed, most):
    """As many pieces as the model reads, at most."""
    draw = random.Random(seed)
    pieces = [piece.replace("\u2581", " ") for piece in WHOLE + SINGLE] + ["ß", " <mask>", "  "]
    texts = [" ".join("".join(draw.choices(pieces, k=draw.randint(1, most))).split()) for _ in range(30)]
    return [text for text in texts if text and len(tokenizer(text)["input_ids"]) <= most][:16]


def theirs(model, tokenizer, texts):
    rows = {}
    for text in texts:
        encoded = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        with torch.no_grad():
            out = model.double()(**encoded, output_hidden_states=True, output_attentions=True)
        rows.setdefault("tokens", []).append(encoded["input_ids"][0].float())
        for layer, hidden in enumerate(out.hidden_states):
            rows.setdefault(f"hidden_{layer}", []).append(hidden[0])
        for layer, attention in enumerate(out.attentions):
            rows.setdefault(f"attention_{layer}", []).append(attention[0].reshape(-1))
        if "logits" in out:
            rows.setdefault("logits", []).append(out.logits.reshape(-1, out.logits.shape[-1]))
    return {name: torch.cat(parts) for name, parts in rows.items()}


def compare(found, expected, classes, what):
    assert torch.equal(found["tokens"], expected["tokens"]), f"{what}: other tokens"
    assert set(found) - {"lengths"} == set(expected), (what, set(found), set(expected))
    if classes:  # those of the first rows
        lengths = found["lengths"].long()
        found = found | {"logits": found["logits"][lengths.cumsum(0) - lengths]}
    worst = 0.0
    for name, values in expected.items():
        assert found[name].shape == values.shape, (what, name, found[name].shape, values.shape)
        difference = ((found[name] - values).abs() / values.abs().clamp(min=1)).max().item()
        assert difference <= TOLERANCE, f"{what}: {name} differs by {difference}"
        worst = max(worst, difference)
    return worst


def check(values_of, heads, kind, number, work):
    shape, folder, exported = SHAPES[number], work / f"{kind}{number}", work / f"{kind}{number}_exported"
    name = make(kind, shape, number + 100 * len(kind), folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    texts = texts_of(tokenizer, number, shape[5] - 2)
    (work / "texts").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    model, problems = load(folder, name)
    assert not problems, (name, problems)
    expected = theirs(model, tokenizer, texts)
    worst = 0.0
    for size in (1, 4):
        subprocess.run([values_of, folder, work / "texts", work / "out", str(size)], check=True, stdout=subprocess.DEVNULL)
        worst = max(worst, compare(load_file(work / "out"), expected, shape[0] == CLASSES, f"{name}, {size} at once"))
    subprocess.run([heads, "export", folder, exported], check=True, stdout=subprocess.DEVNULL)
    again, problems = load(exported, name)
    assert not problems, (name, problems)
    after = theirs(again, transformers.AutoTokenizer.from_pretrained(exported), texts)
    for key, values in expected.items():
        assert ((after[key] - values).abs() <= TOLERANCE * values.abs().clamp(min=1)).all(), (name, key)
    print(f"{name}: {shape[1:6]}, {str(shape[7]).removeprefix('torch.')}: {expected['tokens'].numel()} tokens, within {worst:.1e}")


def main():
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    for kind in SENTENCEPIECE:
        for number in range(len(SHAPES)):
            with tempfile.TemporaryDirectory() as work:
                check(*sys.argv[1:], kind, number, Path(work))


if __name__ == "__main__":
    main()
