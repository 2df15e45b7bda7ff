#!/usr/bin/env python3
"""Compares what an open model computes here with transformers, in float32 and with attn_implementation = "eager".

usage: check_pretrained.py VALUES_OF

VALUES_OF is the program of tests/pretrained/values. The model is the folder HEADLIGHT_MODEL=DIR, as all-MiniLM-L6-v2;
the texts are English EWT's sentences in HEADLIGHT_DATA=DIR (ewt/*.conllu.gz). The tokens of all of them must be equal; of
the first 200 of its dev part hidden states within 2e-5 max(1, |x|), attention weights within 5e-6: all alone, and 32 at
once on both sides. Exits with 77, which ctest reports as skipped, where the model, the texts, or transformers are missing.
"""

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
    import transformers
    from safetensors.torch import load_file
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SENTENCES = 200


def sentences(part):
    data = os.environ.get("HEADLIGHT_DATA", "")
    files = sorted(Path(data).glob(f"ewt/*{part}*.conllu.gz")) if data else []
    if not files or not os.path.exists(os.path.join(os.environ.get("HEADLIGHT_MODEL", ""), "config.json")):
        print("skipped: HEADLIGHT_DATA has no treebank, or HEADLIGHT_MODEL is no folder of a model")
        sys.exit(77)
    with gzip.open(files[0], "rt", encoding="utf-8") as lines:
        return [line[len("# text = ") :].rstrip("\n") for line in lines if line.startswith("# text = ")]


def ours(program, folder, texts, size):
    """What the program computes of `size` texts at once; of 0 the tokens alone."""
    with tempfile.TemporaryDirectory() as work:
        lines, out = os.path.join(work, "texts"), os.path.join(work, "out")
        Path(lines).write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        subprocess.run([program, folder, lines, out, str(size)], check=True)
        return load_file(out)


def theirs(model, tokenizer, texts, size):
    """What transformers computes of `size` texts at once, the real rows of all of them end to end."""
    rows = {}
    for first in range(0, len(texts), size):
        encoded = tokenizer(texts[first : first + size], padding=True, return_tensors="pt")
        with torch.no_grad():
            out = model(**encoded, output_hidden_states=True, output_attentions=True)
        for i, mask in enumerate(encoded["attention_mask"]):
            n = int(mask.sum())
            rows.setdefault("tokens", []).append(encoded["input_ids"][i, :n].float())
            for layer, hidden in enumerate(out.hidden_states):
                rows.setdefault(f"hidden_{layer}", []).append(hidden[i, :n])
            for layer, attention in enumerate(out.attentions):
                rows.setdefault(f"attention_{layer}", []).append(attention[i, :, :n, :n].reshape(-1))
    return {name: torch.cat(parts) for name, parts in rows.items()}


def compare(found, expected, what):
    assert found["tokens"].shape == expected["tokens"].shape and bool((found["tokens"] == expected["tokens"]).all()), (
        f"{what}: other tokens"
    )
    worst = {"hidden": 0.0, "attention": 0.0}
    for name, numbers in expected.items():
        if name == "tokens":
            continue
        assert found[name].shape == numbers.shape, (name, found[name].shape, numbers.shape)
        kind = name.split("_")[0]
        scale = numbers.abs().clamp(min=1) if kind == "hidden" else 1
        difference = ((found[name] - numbers).abs() / scale).max().item()
        worst[kind] = max(worst[kind], difference) if difference == difference else float("inf")
    good = worst["hidden"] <= 2e-5 and worst["attention"] <= 5e-6
    print(f"{'ok' if good else 'FAILED'}  {what}: {expected['tokens'].numel()} tokens, hidden states within "
          f"{worst['hidden']:.1e}, attention within {worst['attention']:.1e}")  # fmt: skip
    return good


def same_tokens(program, folder, tokenizer, texts):
    expected = torch.tensor([i for ids in tokenizer(texts)["input_ids"] for i in ids]).float()
    found = ours(program, folder, texts, 0)["tokens"]
    good = found.shape == expected.shape and bool((found == expected).all())
    print(f"{'ok' if good else 'FAILED'}  {len(texts)} sentences, {expected.numel()} tokens")
    return good


def main():
    torch.set_num_threads(1)
    program, folder, texts = sys.argv[1], os.environ.get("HEADLIGHT_MODEL", ""), sentences("dev")
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    good = same_tokens(program, folder, tokenizer, sentences("train") + texts)
    texts = texts[:SENTENCES]
    for size in (1, 32):
        good = compare(ours(program, folder, texts, size), theirs(model, tokenizer, texts, size), f"{size} at once") and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
