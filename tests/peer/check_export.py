#!/usr/bin/env python3
"""Folders that `heads export MODEL DIR` writes load in transformers, strictly, and compute the same.

usage: check_export.py HEADS_PROGRAM TINY

TINY is tests/pretrained/tiny. Every model of it, and the folder HEADLIGHT_MODEL=DIR where that is set, is exported and
loaded by from_pretrained: no tensor may be missing, unexpected or of another shape, the class is the source's, the tokens
of some texts are equal, all numbers of the state are the source's (but for queries that scale_attn_by_inverse_layer_idx
divides), and hidden states and logits are within 1e-6
max(1, |x|), as sums depend on where memory begins. Exits with 77, which ctest reports as skipped, where transformers 5 is
missing.
"""

import json
import os
import subprocess
import sys
import tempfile

try:
    import torch
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
if int(transformers.__version__.split(".")[0]) < 5:
    print(f"skipped: transformers {transformers.__version__} reads some of these folders otherwise than 5 and later")
    sys.exit(77)

TEXTS = ["the cat sat on the mat.", "Who barked? the dog, who saw it!", "it", "resting dogs bark [MASK] <mask>"]


def load(folder, name):
    """The model, and what from_pretrained says of its tensors."""
    model, told = getattr(transformers, name).from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True
    )
    return model.eval(), {what: list(found) for what, found in told.items() if found}


def compute(model, ids):
    with torch.no_grad():
        out = model(input_ids=ids, output_hidden_states=True)
    return [*out.hidden_states, *([out.logits] if "logits" in out else [])]


def check(program, source, work):
    out = os.path.join(work, os.path.basename(source.rstrip("/")))
    told = subprocess.run([program, "export", source, out], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(out, "config.json"), encoding="utf-8") as file:
        name = json.load(file)["architectures"][0]
    ours, problems = load(out, name)
    assert not problems, (source, name, problems)
    theirs, _ = load(source, name)
    theirs_state = theirs.state_dict()
    for key, tensor in ours.state_dict().items():
        unused = key == "cls.predictions.bias" and not theirs.config.tie_word_embeddings
        divided = ".attn.c_attn." in key and theirs.config.scale_attn_by_inverse_layer_idx  # the queries, in place of scores
        assert unused or divided or torch.equal(tensor, theirs_state[key]), (source, key)
    tokenizer = transformers.AutoTokenizer.from_pretrained(out)
    for text in TEXTS:
        encoded = tokenizer(text, return_tensors="pt")
        ids = encoded["input_ids"]
        with_names = ours(**encoded)  # the names that tokenizer_config.json gives are the model's
        assert with_names is not None
        for a, b in zip(compute(ours, ids), compute(theirs, ids), strict=True):
            assert ((a - b).abs() <= 1e-6 * b.abs().clamp(min=1)).all(), (source, text, (a - b).abs().max())
        if os.path.exists(os.path.join(source, "tokenizer.json")):
            like = transformers.PreTrainedTokenizerFast(tokenizer_file=os.path.join(source, "tokenizer.json"))
            assert like(text, truncation=False)["input_ids"] == ids[0].tolist(), (source, text)
    print(f"{os.path.basename(source)}: {name}: {told.splitlines()[1]}")


def main():
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    program, tiny = sys.argv[1:]
    sources = [os.path.join(tiny, name) for name in sorted(os.listdir(tiny))]
    if os.environ.get("HEADLIGHT_MODEL"):
        sources.append(os.environ["HEADLIGHT_MODEL"])
    with tempfile.TemporaryDirectory() as work:
        for source in sources:
            check(program, source, work)


if __name__ == "__main__":
    main()
