#!/usr/bin/env python3
"""What `heads importance MODEL --file FILE` says of an open model is what transformers loses without each head.

usage: check_importance.py HEADS_PROGRAM TINY

TINY is tests/pretrained/tiny. For each head the columns of the matrix behind the heads (attention.output.dense) that are
its own are set to zero in transformers, and the loss is computed anew: of classifiers, of a tagger whose words are
labelled at their first piece, and of a causal model in windows. The mean over the examples that score may differ from
`zero` by 5e-6. Exits with 77, which ctest reports as skipped, where transformers 5 is missing.
"""

import json
import os
import random
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

WORDS = "the cat sat on mat dog barked who saw it".split()
LABELS = ["bad", "so so", "good"]
N, WINDOW = 24, 8


def load(folder):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        name = json.load(file)["architectures"][0]
    return getattr(transformers, name).from_pretrained(folder, dtype=torch.float32).eval()


def matrices(model):
    """The matrix behind the heads of each layer, and the dimension that is theirs."""
    found = []
    for name, module in model.named_modules():
        if name.endswith(("attention.output.dense", "attention.out_lin")):
            found.append((module.weight, 1))
        elif name.endswith("attn.c_proj"):
            found.append((module.weight, 0))
    return found


def sentences():
    draw = random.Random(1)
    return [[draw.choice(WORDS) for _ in range(draw.randint(3, 6))] for _ in range(N)]


def of_classes(model, tokenizer, path):
    examples = [(" ".join(words), i * i % 3) for i, words in enumerate(sentences())]
    with open(path, "w", encoding="utf-8") as file:
        file.write("text\tlabel\n" + "".join(f"{text}\t{LABELS[label]}\n" for text, label in examples))

    def losses():
        return [
            torch.nn.functional.cross_entropy(model(**tokenizer(text, return_tensors="pt")).logits, torch.tensor([label]))
            for text, label in examples
        ]

    return losses, []


def of_tags(model, tokenizer, path):
    examples = [[(word, (i + j * i) % 3) for j, word in enumerate(words)] for i, words in enumerate(sentences())]
    with open(path, "w", encoding="utf-8") as file:
        for words in examples:
            for j, (word, label) in enumerate(words):
                file.write(f"{j + 1}\t{word}\t_\t{LABELS[label]}\t_\t_\t_\t_\t_\t_\n")
            file.write("\n")

    def losses():
        found = []
        for words in examples:
            ids, rows = [tokenizer.cls_token_id], []
            for word, _ in words:
                rows.append(len(ids))
                ids += tokenizer(word, add_special_tokens=False)["input_ids"]
            logits = model(input_ids=torch.tensor([[*ids, tokenizer.sep_token_id]])).logits[0, rows]
            found.append(torch.nn.functional.cross_entropy(logits, torch.tensor([label for _, label in words])))
        return found

    return losses, []


def of_next(model, tokenizer, path):
    text = "\n".join(" ".join(words) for words in sentences()) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    ids = torch.tensor(tokenizer(text)["input_ids"])
    windows = [ids[at : at + WINDOW + 1] for at in range(0, len(ids) - WINDOW, WINDOW)]

    def losses():
        return [torch.nn.functional.cross_entropy(model(input_ids=w[None, :-1]).logits[0], w[1:]) for w in windows]

    return losses, [f"task.length={WINDOW}"]


def check(program, folder, make, path):
    model, tokenizer = load(folder), transformers.AutoTokenizer.from_pretrained(folder)
    losses, more = make(model, tokenizer, path)
    told = subprocess.run(
        [program, "importance", folder, "--file", path, *more, "patterns.examples=1000", "--json"],
        check=True, capture_output=True, text=True,
    )
    said = json.loads(told.stdout)
    with torch.no_grad():
        scoring = torch.stack(losses()[1::2])
        assert said["examples"] == len(scoring), (said["examples"], len(scoring))
        worst = abs(said["loss"] - float(scoring.mean()))
        width = model.config.hidden_size // model.config.num_attention_heads
        for head in said["heads"]:
            matrix, dim = matrices(model)[head["layer"]]
            kept = matrix.clone()
            matrix.narrow(dim, head["head"] * width, width).zero_()
            grown = float((torch.stack(losses()[1::2]) - scoring).mean())
            matrix.copy_(kept)
            worst = max(worst, abs(grown - head["zero"]))
    assert worst < 5e-6, (folder, worst)
    print(f"{os.path.basename(folder)}: {len(said['heads'])} heads, {len(scoring)} examples, differ by {worst:.1e}")


def main():
    program, tiny = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="headlight-importance-") as work:
        for name, make in (
            ("bert_classes", of_classes),
            ("distilbert_classes", of_classes),
            ("roberta_classes", of_classes),
            ("electra_tags", of_tags),
            ("gpt2_next", of_next),
        ):
            check(program, os.path.join(tiny, name), make, os.path.join(work, name))


if __name__ == "__main__":
    main()
