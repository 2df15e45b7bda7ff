#!/usr/bin/env python3
"""Random models of every kind, made with transformers: what they compute here, how they train, and what is written.

usage: check_encoders.py VALUES_OF TRAIN HEADS PREDICT TINY [KIND ...]

VALUES_OF is the program of tests/pretrained/values, TINY is tests/pretrained, whose make_tiny.py makes the tokens. KIND is
a row of KINDS; without one all are checked. Of each model:

  hidden states and attention weights, all texts alone and 32 at once, within 1e-5 max(1, |x|);
  answers of predict: probabilities within 1e-5;
  the folder that `heads export` writes: no tensor is missing or unexpected, and every number is the source's;
  of taggers and classifiers: each parameter's gradient, from a step of SGD, within 1e-4 of its largest number; the losses
  of 50 steps of Adam within 1e-4, and the weights after them within 1e-4.

A batch of training is the whole data set, so that its order does not matter. Exits with 77, which ctest reports as
skipped, where transformers 5 is missing.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

try:
    import torch
    import transformers
    from safetensors.torch import load_file
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
if int(transformers.__version__.split(".")[0]) < 5:
    print(f"skipped: transformers {transformers.__version__} reads some of these folders otherwise than 5 and later")
    sys.exit(77)

LONG = "the cat sat on the mat. Who barked? the dog, who saw it! " * 4
TEXTS = ["the cat sat on the mat.", "it", "Who barked? the dog, who saw it!", LONG, "resting dogs bark", LONG[30:] + "a"]
WORDS = ["the cat sat on the mat", "it", "who saw the dog", "resting dogs bark and the cat sat on it"]
LABELS = ["bad", "so so", "good"]
HEADED = {"id2label": dict(enumerate(LABELS)), "label2id": {label: i for i, label in enumerate(LABELS)}}
MASKED, TAGS, CLASSES, NEXT = "ForMaskedLM", "ForTokenClassification", "ForSequenceClassification", "LMHeadModel"
STEPS, RATE, BETAS, EPSILON = 50, 1e-3, (0.9, 0.98), 1e-9


def mixed(*layers):
    """layer_types: 1 is full attention, 0 a window."""
    return {"layer_types": [["sliding_attention", "full_attention"][layer] for layer in layers]}


def thetas(full, local):
    return {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": full},
                                "sliding_attention": {"rope_type": "default", "rope_theta": local}}}  # fmt: skip


def sizes(width, layers, heads, inner):
    return {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": inner}


SILU = {"hidden_activation": "silu", "classifier_activation": "silu"}
FULL = {"norm_bias": True, "attention_bias": True, "mlp_bias": True, "classifier_bias": True}
# Of a kind: the beginning of its classes; the fields of all its models; and its models: the end of the class, more fields,
# and how make_tiny.py stores the weights. Heads of rotary positions have an even width, as transformers has no other.
BERT = [
    ("Model", {}, "half"),
    (MASKED, sizes(15, 3, 3, 7), "shards"),
    (TAGS, sizes(10, 1, 5, 21), "plain"),
    (CLASSES, sizes(21, 2, 7, 33), "brain"),
]
ROBERTA = [*BERT, (MASKED, sizes(12, 2, 2, 9) | {"tie_word_embeddings": False}, "plain")]
KINDS = {
    "modernbert": ("ModernBert", {}, [
        (MASKED, sizes(18, 7, 3, 11) | {"local_attention": 4}, "plain"),
        (MASKED, sizes(12, 3, 1, 9) | {"local_attention": 7, "tie_word_embeddings": False, "mlp_bias": True} | SILU, "half"),
        (MASKED, sizes(20, 2, 5, 33) | {"local_attention": 2, "global_attn_every_n_layers": 2, "classifier_bias": True}
         | thetas(500.0, 30.0), "shards"),
        (TAGS, sizes(30, 4, 5, 17) | {"local_attention": 7} | mixed(1, 0, 1, 0) | FULL, "shards"),
        (TAGS, sizes(12, 5, 3, 20) | {"local_attention": 128, "attention_bias": True, "global_attn_every_n_layers": 3} | SILU,
         "brain"),
        (CLASSES, sizes(14, 6, 7, 5) | {"local_attention": 2, "global_attn_every_n_layers": 2, "classifier_pooling": "mean",
                                        "norm_bias": True} | thetas(10000.0, 160000.0), "plain"),
        (CLASSES, sizes(24, 3, 3, 31) | {"local_attention": 4, "norm_eps": 1e-3} | mixed(1, 0, 0), "half"),
        ("Model", sizes(16, 1, 4, 16) | {"global_attn_every_n_layers": 1}, "brain"),
        ("Model", sizes(20, 4, 2, 13) | {"local_attention": 128, "classifier_bias": True}, "shards"),
    ]),
    "bert": ("Bert", {}, BERT),
    "roberta": ("Roberta", {"type_vocab_size": 1}, ROBERTA),
    "xlm-roberta": ("XLMRoberta", {"type_vocab_size": 1}, ROBERTA),
    "camembert": ("Camembert", {"type_vocab_size": 1}, ROBERTA),
    "electra": ("Electra", {"embedding_size": 8}, BERT),
    "distilbert": ("DistilBert", {}, [(MASKED, {}, "half"), (TAGS, {"dim": 15, "n_layers": 3}, "plain"),
                                      (CLASSES, {"dim": 21, "n_heads": 7}, "shards")]),
    "gpt2": ("GPT2", {}, [(NEXT, {"n_embd": 15, "n_head": 3, "n_layer": 3}, "half"), ("Model", {}, "plain")]),
}  # fmt: skip


def near(what, found, expected, tolerance, scale=None):
    """How far apart, at most; `scale` divides, and is max(1, |x|) otherwise."""
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    error = ((found - expected).abs() / (expected.abs().clamp(min=1) if scale is None else scale)).max().item()
    assert error <= tolerance, f"{what}: {error:.2g} apart, more than {tolerance:g}"
    return error


def load(folder, name):
    """The model, after from_pretrained has said that its tensors are those of the folder."""
    model, told = getattr(transformers, name).from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True
    )
    assert not any(told.values()), (folder, name, told)
    return model.eval()


def make(tiny, kind, name, fields, how, seed, folder):
    """The folder of a random model. Returns its tokenizer."""
    config_class = getattr(transformers, name).config_class
    folder.mkdir()
    tokenizer, size = tiny.tokens_of(folder, kind, "tokenizer.json")
    length = {"gpt2": "n_positions"}.get(kind, "max_position_embeddings")
    wanted = tiny.shape(kind) | {"vocab_size": size, length: 400} | (tiny.BYTES | tiny.SENTENCEPIECE).get(kind, ("", [], {}))[2]
    wanted |= HEADED if name.endswith((TAGS, CLASSES)) else {}
    model = getattr(transformers, name)(config_class(**wanted | fields, attn_implementation="eager"))
    tiny.numbers(model, seed)
    with torch.no_grad():  # less sharp than make_tiny's, as there are more layers
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(0.5)
    tiny.save(model, folder, how)
    return tokenizer


def padded(tokenizer, config, texts):
    """The arguments of a call with all texts, padded at their ends."""
    ids = [tokenizer(text)["input_ids"] for text in texts]
    longest, padding = max(map(len, ids)), config.pad_token_id or 0
    return {
        "input_ids": torch.tensor([row + [padding] * (longest - len(row)) for row in ids]),
        "attention_mask": torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in ids]),
    }


def theirs(model, tokenizer, size):
    """What transformers computes of `size` texts at once, the real rows of all of them end to end."""
    rows = {}
    for first in range(0, len(TEXTS), size):
        encoded = padded(tokenizer, model.config, TEXTS[first : first + size])
        with torch.no_grad():
            out = model(**encoded, output_hidden_states=True, output_attentions=True)
        for i, n in enumerate(encoded["attention_mask"].sum(1).tolist()):
            rows.setdefault("tokens", []).append(encoded["input_ids"][i, :n].float())
            for layer, hidden in enumerate(out.hidden_states):
                rows.setdefault(f"hidden_{layer}", []).append(hidden[i, :n])
            for layer, attention in enumerate(out.attentions):
                rows.setdefault(f"attention_{layer}", []).append(attention[i, :, :n, :n].reshape(-1))
    return {name: torch.cat(parts) for name, parts in rows.items()}


def check_values(values_of, folder, model, tokenizer, work):
    lines, out, worst = work / "texts", work / "values", 0.0
    lines.write_text("".join(text + "\n" for text in TEXTS), encoding="utf-8")
    for size in (1, 32):
        subprocess.run([values_of, folder, lines, out, str(size)], check=True, stdout=subprocess.DEVNULL)
        found = load_file(out)
        for name, numbers in theirs(model, tokenizer, size).items():
            worst = max(worst, near(f"{name}, {size} at once", found[name], numbers, 1e-5))
    return f"values {worst:.1e}"


def check_answers(predict, folder, model, tokenizer, work):
    """Probabilities of predict --json; texts of masked models end in a mask."""
    name, lines, worst = type(model).__name__, work / "lines", 0.0
    texts = [text + tokenizer.mask_token for text in TEXTS] if name.endswith(MASKED) else WORDS
    lines.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    command = [predict, folder, lines, "--json"] + (["--top", "3"] if name.endswith((MASKED, CLASSES)) else [])
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    for text, line in zip(texts, map(json.loads, said), strict=True):
        encoded = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            rows = model(input_ids=encoded["input_ids"]).logits[0].softmax(-1)
        if name.endswith(CLASSES):
            answers = [(rows, answer) for answer in line["answers"]]
        elif name.endswith(TAGS):
            best = [word["answers"][0] for word in line["answers"]]
            answers = [(rows[at], answer) for at, answer in zip(first_pieces(encoded, 0), best, strict=True)]
        else:
            at = encoded["input_ids"][0].tolist().index(tokenizer.mask_token_id)
            answers = [(rows[at], answer) for answer in line["masks"][0]["answers"]]
        for row, answer in answers:
            worst = max(worst, near("a probability", torch.tensor(answer["probability"]), row[answer["id"]], 1e-5))
    return f"answers {worst:.1e}"


def check_export(heads, folder, model, work):
    out = work / "exported"
    subprocess.run([heads, "export", folder, out], check=True, stdout=subprocess.DEVNULL)
    state = load(out, type(model).__name__).state_dict()
    for name, numbers in model.state_dict().items():
        unused = name in ("cls.predictions.bias", "lm_head.bias") and not model.config.tie_word_embeddings
        assert unused or torch.equal(state[name], numbers), name
    return "export equal"


def first_pieces(encoded, text):
    """The places of the first pieces of all words."""
    first = {}
    for place, word in enumerate(encoded.word_ids(text)):
        if word is not None:
            first.setdefault(word, place)
    return list(first.values())


def data_of(task, path):
    """A small data set of the task; returns the label of each word, or of each text."""
    labels = [[LABELS[(len(word) + i) % 3] for i, word in enumerate(text.split())] for text in WORDS]
    if task == "classes":
        labels = [LABELS[i % 3] for i in range(len(WORDS))]
        path.write_text("text\tlabel\n" + "".join(f"{t}\t{label}\n" for t, label in zip(WORDS, labels)), encoding="utf-8")
        return labels
    rows = []
    for text, tags in zip(WORDS, labels):
        rows += [f"{i}\t{word}\t_\t{tag}" + "\t_" * 6 for i, (word, tag) in enumerate(zip(text.split(), tags), 1)] + [""]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return labels


def loss_of(model, tokenizer, labels):
    """A function that computes the loss of the whole data set."""
    encoded, of = padded(tokenizer, model.config, WORDS), model.config.label2id
    places = [(i, at) for i, text in enumerate(WORDS) for at in first_pieces(tokenizer([text]), 0)]
    targets = torch.tensor([of[label] for text in labels for label in (text if isinstance(text, list) else [text])])

    def loss():
        logits = model(**encoded).logits
        if logits.dim() == 3:
            logits = torch.stack([logits[place] for place in places])
        return torch.nn.functional.cross_entropy(logits, targets)

    return loss


CONFIG = """[task]
name = {task}
file = {data}
validation_file = {data}
[model]
dropout = 0
dropout_embedding = 0
dropout_pooler = 0
dropout_output = 0
{pooling}
[optimizer]
name = {optimizer}
learning_rate = {rate}
schedule = constant
warmup_steps = 0
clip_norm = 0
[train]
steps = {steps}
batch_size = {batch}
log_every = 1
eval_every = 0
checkpoint_every = 0
[patterns]
every = 0
examples = 0
"""


def check_training(train, heads, folder, model, tokenizer, work):
    name = type(model).__name__
    task = "tags" if name.endswith(TAGS) else "classes"
    labels = data_of(task, work / "data")
    pooling = "pooling = mean" if getattr(model.config, "classifier_pooling", "cls") == "mean" and task == "classes" else ""

    def trained(what, optimizer, rate, steps):
        """The model after `steps`, and the losses before each."""
        run, config = work / what, work / f"{what}.ini"
        config.write_text(CONFIG.format(task=task, data=work / "data", optimizer=optimizer, rate=rate, steps=steps,
                                        batch=len(WORDS), pooling=pooling))  # fmt: skip
        subprocess.run([train, config, "--from", folder, "--out", run, "--quiet"], check=True)
        subprocess.run([heads, "export", run, work / f"{what}.out"], check=True, stdout=subprocess.DEVNULL)
        rows = csv.DictReader((run / "metrics.csv").open())
        return load(work / f"{what}.out", name), [float(row["loss"]) for row in rows if row["split"] == "train"]

    peer, _ = trained("start", "sgd", 1e-12, 1)
    stepped, _ = trained("step", "sgd", 1.0, 1)
    ours, losses = trained("steps", "adam", RATE, STEPS)
    loss, worst = loss_of(peer, tokenizer, labels), 0.0
    loss().backward()
    after = dict(stepped.named_parameters())
    largest = {key: 0 if parameter.grad is None else parameter.grad.abs().max().item()
               for key, parameter in peer.named_parameters()}  # fmt: skip
    # the biases of keys change no score without rotary positions: their gradients are noise, which Adam makes large
    noise = [key for key, most in largest.items() if 0 < most < 1e-6 * max(largest.values())]
    assert len(noise) <= model.config.num_hidden_layers, noise
    for key, parameter in peer.named_parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        found = (parameter - after[key]).detach()
        # a step rounds the weights: gradients that are all noise, as those of keys' biases, are compared with that
        scale = max(gradient.abs().max().item(), 1e-2 * parameter.detach().abs().max().item())
        worst = max(worst, near(f"the gradient of {key}", found, gradient, 1e-4, scale))
    optimizer, expected = torch.optim.Adam(peer.parameters(), lr=RATE, betas=BETAS, eps=EPSILON), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        expected.append(loss())
        expected[-1].backward()
        optimizer.step()
    assert len(losses) == STEPS, losses
    apart = near("losses", torch.tensor(losses), torch.stack(expected).detach(), 1e-4)
    last = dict(ours.named_parameters())
    moved = max(near(f"{key} after {STEPS} steps", last[key].detach(), parameter.detach(), 1e-4)
                for key, parameter in peer.named_parameters() if key not in noise)  # fmt: skip
    return f"gradients {worst:.1e}, losses {losses[0]:.2f} .. {losses[-1]:.2f} {apart:.1e}, weights {moved:.1e}"


def check(programs, tiny, kind, seed, model_of, work):
    values_of, train, heads, predict = programs
    name, fields, how = model_of
    folder = work / "model"
    tokenizer = make(tiny, kind, name, fields, how, seed, folder)
    model = load(folder, name)
    said = [check_values(values_of, folder, model, tokenizer, work), check_export(heads, folder, model, work)]
    if name.endswith((MASKED, TAGS, CLASSES)):
        said.append(check_answers(predict, folder, model, tokenizer, work))
    if name.endswith((TAGS, CLASSES)):
        said.append(check_training(train, heads, folder, model, tokenizer, work))
    print(f"ok  {name} {how}: {', '.join(said)}", flush=True)


def main():
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    programs, tiny, kinds = [os.path.abspath(path) for path in sys.argv[1:5]], sys.argv[5], sys.argv[6:]
    sys.path.insert(0, tiny)
    import make_tiny

    failed = 0
    for kind in kinds or KINDS:
        first, fields, models = KINDS[kind]
        for seed, (last, more, how) in enumerate(models):
            with tempfile.TemporaryDirectory() as work:
                try:
                    check(programs, make_tiny, kind, seed, (first + last, fields | more, how), Path(work))
                except (AssertionError, subprocess.CalledProcessError) as error:
                    print(f"FAILED  {first}{last} {more}: {error}", flush=True)
                    failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
