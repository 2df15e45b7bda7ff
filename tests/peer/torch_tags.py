#!/usr/bin/env python3
"""The peer of configs/own_tags.ini: a tagger of a treebank's words, in PyTorch.

usage: torch_tags.py TRAIN_FILE VALIDATION_FILE VOCABULARY [--steps N] [--seed N] [--threads N]

2 pre-norm layers of width 128 with 4 heads over the pieces of VOCABULARY (the vocab.txt of a run, read by the
`tokenizers` library), sinusoidal positions, ReLU, dropout 0.2 everywhere, the loss on a word's first piece with label
smoothing 0.1; AdamW with betas 0.9 and 0.98, decay 0.1 on matrices, gradients clipped to 1, the rate rising for 400
steps to 2e-3 and falling as a cosine to 0; an eighth of the pieces (0.12) is read as unknown. Batches hold 32 sentences
as they come and are padded to the longest.

Prints one object of JSON: accuracy, in percent of the validation file's words; tokens_per_second, without padding, of the
median step.
"""

import argparse
import gzip
import json
import math
import random
import statistics
import time

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch import nn
from torch.nn import functional

BATCH, LAYERS, HEADS, WIDTH, DROPOUT, SMOOTHING = 32, 2, 4, 128, 0.2, 0.1
PEAK, WARM_UP, DROPPED, IGNORE = 2e-3, 400, 0.12, -100


def sentences(path):
    """Lists of (word, UPOS), without ranges of words and empty nodes."""
    found, sentence = [], []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 1 and cells[0] == "" and sentence:
                found.append(sentence)
                sentence = []
            elif cells[0].isdigit():
                sentence.append((cells[1], cells[3]))
    return found + [sentence] * bool(sentence)


def encoded(sentence, tokenizer, labels):
    """Ids and targets of a sentence: a word's label stands at its first piece."""
    ids, targets = [], []
    for word, label in sentence:
        pieces = tokenizer.encode(word, add_special_tokens=False).ids or [tokenizer.token_to_id("[UNK]")]
        ids += pieces
        targets += [labels.get(label, -1)] + [IGNORE] * (len(pieces) - 1)
    return ids, targets


def padded(examples, padding):
    length = max(len(ids) for ids, _ in examples)
    ids = torch.full((len(examples), length), padding)
    targets = torch.full((len(examples), length), IGNORE)
    for row, (some, wanted) in enumerate(examples):
        ids[row, : len(some)] = torch.tensor(some)
        targets[row, : len(wanted)] = torch.tensor(wanted)
    return ids, targets


class Tagger(nn.Module):
    def __init__(self, vocabulary, labels, longest, padding):
        super().__init__()
        self.padding = padding
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        frequencies = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000) / WIDTH))
        angles = torch.arange(longest)[:, None] * frequencies
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], -1).flatten(1))
        self.dropout = nn.Dropout(DROPOUT)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, DROPOUT, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.output = nn.Linear(WIDTH, labels)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=WIDTH**-0.5)

    def forward(self, ids):
        x = self.dropout(self.embedding(ids) * WIDTH**0.5 + self.positions[: ids.shape[1]])
        return self.output(self.encoder(x, src_key_padding_mask=ids == self.padding))


def rate(step, steps):
    """Of step 1 .. steps."""
    if step <= WARM_UP:
        return PEAK * step / WARM_UP
    return PEAK * (1 + math.cos(math.pi * (step - WARM_UP) / (steps - WARM_UP))) / 2


def batches(examples):
    while True:
        random.shuffle(examples)
        for first in range(0, len(examples) - BATCH + 1, BATCH):
            yield examples[first : first + BATCH]


def train(model, examples, steps, unknown):
    matrices = [parameter for parameter in model.parameters() if parameter.dim() == 2]
    others = [parameter for parameter in model.parameters() if parameter.dim() != 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-9, fused=True)
    source, rates = batches(examples), []
    for step in range(1, steps + 1):
        begin = time.perf_counter()
        ids, targets = padded(next(source), model.padding)
        drops = (ids != model.padding) & (torch.rand(ids.shape) < DROPPED)
        ids = torch.where(drops, unknown, ids)
        for group in optimizer.param_groups:
            group["lr"] = rate(step, steps)
        optimizer.zero_grad(set_to_none=True)
        logits = model(ids)
        loss = functional.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE, label_smoothing=SMOOTHING
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rates.append((ids != model.padding).sum().item() / (time.perf_counter() - begin))
    return statistics.median(rates)


def score(model, examples):
    model.eval()
    right = words = 0
    with torch.no_grad():
        for first in range(0, len(examples), 64):
            ids, targets = padded(examples[first : first + 64], model.padding)
            right += (model(ids).argmax(-1) == targets).sum().item()
            words += (targets != IGNORE).sum().item()
    return 100 * right / words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("training")
    parser.add_argument("validation")
    parser.add_argument("vocabulary")
    parser.add_argument("--steps", type=int, default=11760)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    tokenizer = Tokenizer(models.WordPiece.from_file(arguments.vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    training, validation = sentences(arguments.training), sentences(arguments.validation)
    labels = {label: i for i, label in enumerate(sorted({label for words in training for _, label in words}))}
    training, validation = (
        [encoded(words, tokenizer, labels) for words in part] for part in (training, validation)
    )
    longest = max(len(ids) for ids, _ in training + validation)
    padding = tokenizer.get_vocab_size()  # an id of its own: the run's vocabulary has none for padding
    model = Tagger(padding + 1, len(labels), longest, padding)
    tokens_per_second = train(model, training, arguments.steps, tokenizer.token_to_id("[UNK]"))
    print(json.dumps({
        "accuracy": score(model, validation),
        "tokens_per_second": tokens_per_second,
    }))


if __name__ == "__main__":
    main()
