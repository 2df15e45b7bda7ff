#!/usr/bin/env python3
"""The time of training an open model on, beside transformers.

usage: check_finetune_time.py TRAIN

The folder HEADLIGHT_MODEL=DIR, as all-MiniLM-L6-v2, learns the tags of HEADLIGHT_DATA=DIR (ewt/) in batches of 32 sentences
as they come, here by finetune_tags.ini and there by PyTorch's usual loop, in turns. What counts is the median rate of real
tokens, tokenising there included, as it is here: ours must take at most 0.35 of the time. HEADLIGHT_STEPS may be fewer
than 20 for a trial. Exits with 77, which ctest reports as skipped, without the model, the texts, or transformers.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_finetune import FILES, HERE, MODEL, sentences, skip_without_files, torch, transformers

STEPS, PAIRS, MOST = int(os.environ.get("HEADLIGHT_STEPS", 20)), 3, 0.35


def ours(train, folder):
    subprocess.run([train, HERE / "finetune_tags.ini", "--from", MODEL, "--out", folder, "--overwrite", "--quiet",
                    f"task.file={FILES[0]}", f"task.validation_file={FILES[1]}", f"train.steps={STEPS}",
                    "train.log_every=1", "train.eval_examples=32"],
                   check=True)  # fmt: skip
    rows = [row.split(",") for row in (folder / "metrics.csv").read_text().splitlines()]
    return statistics.median(float(row[6]) for row in rows if row[1] == "train")


def step(model, tokenizer, optimizer, ids, batch):
    encoded = tokenizer([words for words, _ in batch], is_split_into_words=True, padding=True, truncation=True,
                        return_tensors="pt")  # fmt: skip
    targets = torch.full(encoded["input_ids"].shape, -100)
    for row, (_, tags) in enumerate(batch):
        before = None
        for place, word in enumerate(encoded.word_ids(row)):
            if word is not None and word != before:
                targets[row, place] = ids[tags[word]]
            before = word
    model(**encoded, labels=targets).loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
    optimizer.step()
    optimizer.zero_grad()
    return int(encoded["attention_mask"].sum())


def theirs(treebank, seed):
    torch.manual_seed(seed)
    ids = {tag: i for i, tag in enumerate(sorted({tag for _, tags in treebank for tag in tags}))}
    tokenizer = transformers.AutoTokenizer.from_pretrained(MODEL)
    model = transformers.AutoModelForTokenClassification.from_pretrained(MODEL, num_labels=len(ids)).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4, weight_decay=0.01)
    batches = random.Random(seed).sample(treebank, 32 * STEPS)
    rates = []
    for first in range(0, len(batches), 32):
        begin = time.perf_counter()
        tokens = step(model, tokenizer, optimizer, ids, batches[first : first + 32])
        rates.append(tokens / (time.perf_counter() - begin))
    return statistics.median(rates)


def main():
    skip_without_files()
    treebank, shares = list(sentences(FILES[0])), []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, 1 + PAIRS):
            mine, peer = ours(sys.argv[1], Path(folder) / "run"), theirs(treebank, seed)
            print(f"{mine:.0f} tokens a second, PyTorch {peer:.0f}: {peer / mine:.3f} of its time", flush=True)
            shares.append(peer / mine)
    print(f"median {statistics.median(shares):.3f}")
    sys.exit(statistics.median(shares) > MOST)


if __name__ == "__main__":
    main()
