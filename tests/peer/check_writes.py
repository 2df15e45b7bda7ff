#!/usr/bin/env python3
"""What heads write, against TransformerLens: `direct` of a GPT-2, answer by answer.

usage: check_writes.py HEADS_PROGRAM TINY

TINY is tests/pretrained/tiny, from which the tokens come. The model is a GPT-2 of three layers with random weights, or the
one in the folder that HEADLIGHT_GPT2 names. For each answer of some sentences, `heads writes --example N --json` must add
what TransformerLens finds from its own pass: each component of the residual stream, divided by the scale of the last layer
norm, times the centred unembedding of the right answer. Numbers may differ by 1e-5 of the largest term. Exits with 77,
which ctest reports as skipped, where torch, transformers or TransformerLens 2 is missing.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
    import transformers
    from transformer_lens import HookedTransformer, HookedTransformerConfig
    from transformer_lens.pretrained.weight_conversions import convert_gpt2_weights
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOLERANCE = 1e-5
SENTENCES = ["the cat sat on the mat", "the dog barked and the cat ran", "it sat on it"]


def make_gpt2(tiny, folder):
    """A GPT-2 with the tokens of the tiny one, whose weights are large enough for clear attention."""
    shutil.copytree(tiny / "gpt2_next", folder)
    config = transformers.GPT2Config.from_pretrained(folder)
    config.n_embd, config.n_layer, config.n_head, config.initializer_range = 48, 3, 4, 0.15
    torch.manual_seed(1)
    model = transformers.GPT2LMHeadModel(config)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:  # no bias is 0, no gain is 1
            parameter.data += 0.2 * torch.randn_like(parameter)
    model.save_pretrained(folder)


def lens_of(folder):
    """The same model in TransformerLens, as it is mostly used there: the norms' gains are folded into the weights."""
    source = transformers.GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager")
    c = source.config
    config = HookedTransformerConfig(
        n_layers=c.n_layer, d_model=c.n_embd, n_ctx=c.n_positions, n_heads=c.n_head, d_head=c.n_embd // c.n_head, d_mlp=4 * c.n_embd,
        d_vocab=c.vocab_size, act_fn="gelu_new", eps=c.layer_norm_epsilon, normalization_type="LN", use_attn_result=True, device="cpu")
    model = HookedTransformer(config)
    state = convert_gpt2_weights(source, config)
    model.load_and_process_state_dict(state, fold_ln=True, center_writing_weights=True, center_unembed=True, fold_value_biases=False)
    return model.eval()


def terms_of(model, ids):
    """What each part adds to the logit of each next token: {writer: (positions)}, and the centred logits."""
    with torch.no_grad():
        logits, cache = model.run_with_cache(torch.tensor([ids]))
        parts = {"embedding": cache["embed"] + cache["pos_embed"]}
        for layer in range(model.cfg.n_layers):
            for head in range(model.cfg.n_heads):
                parts[f"L{layer}H{head}"] = cache["result", layer][:, :, head]
            parts[f"L{layer} attention bias"] = model.b_O[layer].expand_as(cache["embed"])
            parts[f"L{layer} feed-forward"] = cache["mlp_out", layer]
        scaled = cache.apply_ln_to_stack(torch.stack(list(parts.values())), layer=-1)[:, 0]
        right = torch.tensor(ids[1:])
        directions = model.W_U[:, right]  # (D, positions), centred over the vocabulary
        terms = dict(zip(parts, torch.einsum("wpd,dp->wp", scaled[:, :-1], directions)))
        terms["last norm bias"] = model.b_U[right]  # into which the bias of the last norm was folded
        centred = logits[0, :-1] - logits[0, :-1].mean(-1, keepdim=True)
        return terms, centred.gather(1, right[:, None])[:, 0]


def main():
    heads, tiny = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder, sentences = Path(name) / "gpt2", Path(name) / "sentences.txt"
        if os.environ.get("HEADLIGHT_GPT2"):
            folder = Path(os.environ["HEADLIGHT_GPT2"])
        else:
            make_gpt2(tiny, folder)
        sentences.write_text("".join(f"{sentence}\n" for sentence in SENTENCES), encoding="utf-8")
        vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        model, largest, compared = lens_of(folder), 0, 0
        for example in range(len(SENTENCES)):
            made = json.loads(subprocess.check_output(
                [heads, "writes", folder, "--examples", sentences, "--example", str(example), "--json"], stderr=subprocess.DEVNULL))
            terms, logits = terms_of(model, [vocabulary[token] for token in made["tokens"]])
            assert set(made["writers"]) == set(terms), (made["writers"], list(terms))
            for answer in made["answers"]:
                at = answer["position"]
                found = [float(terms[writer][at]) for writer in made["writers"]]
                size = max(map(abs, found))
                gaps = [abs(a - b) / size for a, b in zip(found, answer["terms"])] + [abs(float(logits[at]) - answer["logit"]) / size]
                largest, compared = max([largest, *gaps]), compared + len(gaps)
        assert compared > 100, compared
        print(f"{compared} numbers compared; the largest gap is {largest:.1e} of the largest term")
        assert largest <= TOLERANCE, largest


if __name__ == "__main__":
    main()
