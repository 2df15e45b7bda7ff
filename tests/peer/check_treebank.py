#!/usr/bin/env python3
"""Compares what the heads of an open model find in a treebank with a script of its own that uses transformers.

usage: check_treebank.py HEADS

The model is the folder HEADLIGHT_MODEL=DIR, the treebanks the dev parts of English EWT and GUM in HEADLIGHT_DATA=DIR. The
relations neg, entity and long are counted anew from the columns, too. Every number of `heads grammar --json` must be equal, but for words whose two largest weights differ by less than 1e-5, which are
counted. Also told: the time of both. Exits with 77, which ctest reports as skipped, where the model, the treebank or
transformers are missing.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

try:
    import numpy as np
    import torch
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

CLOSE = 1e-5
OFFSETS = [sign * k for k in range(1, 9) for sign in (-1, 1)]
FAR = [sign * k for k in range(6, 21) for sign in (-1, 1)]
EXTRAS = ("neg", "entity", "long")
MAX_PIECES = 128


def offsets_of(name):
    return FAR if name == "long" else OFFSETS


def spans_of(lines):
    """The mentions of several words that begin and end in the sentence, by a stack for each entity; those of several parts
    are left out. Ended: (begin, last word)."""
    opened, spans = {}, []
    for word, misc in enumerate(lines):
        value = next((part[7:] for part in misc.split("|") if part.startswith("Entity=")), "")
        for bracket in re.findall(r"\([^()]*\)?|[^()]+\)", value):
            name = re.split("[-)]", bracket.lstrip("("))[0]
            if bracket.startswith("("):
                opened.setdefault(name, []).append(word)
            if bracket.endswith(")") and opened.get(name):
                begin = opened[name].pop()
                if begin < word and "[" not in name:
                    spans.append((begin, word))
    return spans


def trees(path):
    """Sentences: of each word its form and a list of (relation, the right words)."""
    def sentence(rows):
        mentions, words = spans_of([row[9] for row in rows]), []
        for i, row in enumerate(rows):
            head, own = int(row[6]) - 1, [span for span in mentions if span[0] <= i <= span[1]]
            asked = []
            if head >= 0:
                asked += [(row[7].split(":")[0], {head}), ("all", {head})]
                asked += [("neg", {head})] if "Polarity=Neg" in row[5].split("|") else []
                asked += [("long", {head})] if abs(head - i) > 5 else []
            if own:
                begin, last = min(own, key=lambda span: span[1] - span[0])
                asked.append(("entity", set(range(begin, last + 1)) - {i}))
            words.append((row[1], asked))
        return words

    rows = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            line = line.rstrip("\n")
            if line == "":
                if len(rows) > 1:
                    yield sentence(rows)
                rows = []
            elif line[0] != "#" and line.split("\t")[0].isdigit():
                rows.append(line.split("\t"))


class Counts:
    """Hits of every head in both directions and of every offset, by relation and half."""

    def __init__(self, n_heads):
        self.n_heads, self.cases, self.hits, self.ties, self.offsets = n_heads, {}, {}, {}, {}

    def add(self, half, words, maps):
        n = len(words)
        maps = maps.astype(np.float64)
        maps[:, range(n), range(n)] = -1
        both = np.stack([maps, maps.transpose(0, 2, 1)], axis=1)
        guess = both.argmax(-1)
        top = -np.sort(-both, axis=-1)
        close = top[..., 0] - top[..., 1] < CLOSE if n > 2 else np.zeros(guess.shape, bool)
        for i, (_, asked) in enumerate(words):
            for name, right in asked:
                key = (name, half)
                self.cases[key] = self.cases.get(key, 0) + 1
                self.hits.setdefault(key, np.zeros((self.n_heads, 2), int))[...] += np.isin(guess[:, :, i], list(right))
                self.ties.setdefault(key, np.zeros((self.n_heads, 2), int))[...] += close[:, :, i]
                offsets = self.offsets.setdefault(key, np.zeros(len(offsets_of(name)), int))
                for k, offset in enumerate(offsets_of(name)):
                    at = min(max(i + offset, 0), n - 1)
                    offsets[k] += at != i and at in right

    def total(self, what, name, halves):
        return sum(what.get((name, half), 0) for half in halves)


def word_maps(model, tokenizer, words):
    """The joined maps of all heads, (heads, words, words); None where the sentence is too long."""
    pieces, spans = [tokenizer.cls_token_id], []
    for form, _ in words:
        ids = tokenizer(form, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        ids = ids or [tokenizer.unk_token_id]
        spans.append((len(pieces), len(pieces) + len(ids)))
        pieces += ids
    pieces.append(tokenizer.sep_token_id)
    if len(pieces) > MAX_PIECES:
        return None
    with torch.no_grad():
        out = model(input_ids=torch.tensor([pieces]), output_attentions=True)
    maps = torch.cat([layer[0] for layer in out.attentions]).numpy()
    sums = np.stack([maps[:, :, begin:end].sum(-1) for begin, end in spans], -1)
    return np.stack([sums[:, begin:end].mean(1) for begin, end in spans], 1)


def choose(counts, name, choosing, measured):
    """The best head and direction where these are chosen; the best offset where it is measured."""
    hits = counts.total(counts.hits, name, choosing)
    offsets = counts.total(counts.offsets, name, measured)
    return np.unravel_index(np.argmax(hits), hits.shape), int(np.argmax(offsets)), hits


def main():
    data, folder = os.environ.get("HEADLIGHT_DATA", ""), os.environ.get("HEADLIGHT_MODEL", "")
    files = [file for name in ("ewt", "gum") for file in sorted(Path(data).glob(f"{name}/*dev*.conllu.gz"))] if data else []
    if not files or not os.path.exists(os.path.join(folder, "config.json")):
        print("skipped: HEADLIGHT_DATA has no treebank, or HEADLIGHT_MODEL is no folder of a model")
        sys.exit(77)
    for file in files:
        check(folder, file)


def check(folder, file):
    began = time.time()
    command = [sys.argv[1], "grammar", folder, str(file), "--max-pieces", str(MAX_PIECES), "--json", "-"]
    ours = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    print(f"heads: {time.time() - began:.1f} s, random weights included")

    began = time.time()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    heads = model.config.num_attention_heads
    counts, used, left_out = Counts(heads * model.config.num_hidden_layers), 0, 0
    for words in trees(file):
        maps = word_maps(model, tokenizer, words)
        if maps is None:
            left_out += 1
            continue
        counts.add(used % 2, words, maps)
        used += 1
    print(f"this script: {time.time() - began:.1f} s")

    assert ours["sentences"] == used, (ours["sentences"], used)
    names = {name for name, _ in counts.cases} - {"punct", "root"}
    enough = {name for name in names if counts.total(counts.cases, name, (0, 1)) >= 100}
    assert {row["relation"] for row in ours["rows"]} == enough
    close = 0
    for row in ours["rows"]:
        name = row["relation"]
        for part, choosing, measured in (("", (0, 1), (0, 1)), ("held_out_", (0,), (1,))):
            label = "accuracy" if part == "" else "held_out"
            cases = counts.total(counts.cases, name, measured)
            (head, way), offset, hits = choose(counts, name, choosing, measured)
            layer, index = map(int, row[part + "head"][1:].split("H"))
            ours_head, ours_way = layer * heads + index, ["d>h", "h>d"].index(row[part + "direction"])
            ties = counts.total(counts.ties, name, choosing)
            if (ours_head, ours_way) != (head, way):  # only where the words that are close decide
                assert hits[head, way] - hits[ours_head, ours_way] <= ties[head, way] + ties[ours_head, ours_way], row
            found = counts.total(counts.hits, name, measured)[ours_head, ours_way]
            allowed = counts.total(counts.ties, name, measured)[ours_head, ours_way]
            close += int(allowed)
            assert abs(row[label] * cases - found) <= allowed + 1e-4, (row, found, cases)
            assert row[part + "offset"] == offsets_of(name)[offset], (row, offsets_of(name)[offset])
            hit = counts.total(counts.offsets, name, measured)[offset]
            assert abs(row[part + "baseline"] * cases - hit) < 1e-4, (row, hit)
        assert row["cases"] == counts.total(counts.cases, name, (0, 1))
    print(f"{len(ours['rows'])} rows of {used} sentences are equal; {left_out} too long; {close} guesses were close")


if __name__ == "__main__":
    main()
