#!/usr/bin/env python3
"""Writes the tiny models that the tests of pretrained/ read, and what transformers computes with them.

usage: make_tiny.py FOLDER [MODEL ...]

FOLDER is tests/pretrained/tiny, whose files are committed; they were written with transformers 5.23 and torch 2.13. Only
the models that are named are written anew; without a name all are. Each subfolder is a model of random numbers as
`save_pretrained` leaves it, and expected.safetensors, computed in float32 (attn_implementation = "eager") for every text
alone:

  texts (metadata)  a line each; a tab separates the two texts of a pair
  lengths (B), tokens (N), types (N)
  hidden_0 .. hidden_L (N, D), attention_0 .. (the (H, T, T) of all texts end to end)
  logits            (N, C), or (B, C) of classes; none where the model has no output layer that we have
"""

import json
import os
import shutil
import sys

import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file

WORDS = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] a b c d e f g h i k l m n o p r s t u w y ##a ##d ##e ##ed ##g ##ing ##l ##n ##r ##s "
    "##t the cat sat on mat dog who barked saw it , . ! ? re"
).split()
# Byte-level pieces; Ġ stands for a space.
LETTERS = list("abcdefghiklmnoprstuwy,.!?")
MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("a", "t"), ("Ġ", "c"), ("Ġc", "at"), ("s", "at"), ("Ġ", "sat"), ("o", "n")]

# SentencePiece's pieces; ▁ stands for a space.
WHOLE = "▁the ▁cat ▁s at ▁on ▁mat ▁dog ▁who ▁bark ed ing ▁saw ▁it ▁re , . ! ?".split()
SINGLE = list("▁abcdefghiklmnoprstuwy")

TEXTS = ["the cat sat on the mat.", "Who barked?\tthe dog, who saw it!", "it", "resting dogs bark"]


def shape(kind):
    sizes = {"vocab_size": None, "initializer_range": 0.05}
    if kind == "distilbert":
        return sizes | {"dim": 12, "n_layers": 2, "n_heads": 3, "hidden_dim": 20, "max_position_embeddings": 60}
    if kind == "gpt2":
        return sizes | {"n_embd": 12, "n_layer": 2, "n_head": 2, "n_positions": 60}
    windows = {"num_hidden_layers": 4, "local_attention": 4} if kind == "modernbert" else {}
    return sizes | {
        "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 20,
        "max_position_embeddings": 60,
    } | windows  # fmt: skip


# Kinds whose tokens are byte-level pieces: the tokenizer, its special tokens, and their ids in config.json.
BYTES = {
    "roberta": ("RobertaTokenizer", ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
                {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}),
    "gpt2": ("GPT2Tokenizer", ["<|endoftext|>"], {"bos_token_id": 0, "eos_token_id": 0}),
    "modernbert": ("TokenizersBackend", ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
                   {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}),
}  # fmt: skip
# Kinds whose tokens are SentencePiece's, the same way, with the special tokens before the pieces.
SENTENCEPIECE = {
    "xlm-roberta": ("XLMRobertaTokenizer", ["<s>", "<pad>", "</s>", "<unk>"],
                    {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}),
    "camembert": ("CamembertTokenizer", ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"],
                  {"pad_token_id": 1, "bos_token_id": 5, "eos_token_id": 6}),
}  # fmt: skip
LABELS = {"id2label": {0: "bad", 1: "so so", 2: "good"}, "label2id": {"bad": 0, "so so": 1, "good": 2}}

# name: class, fields of the config, how the weights are stored, which files hold the tokens. A new model stands at the
# end, as its numbers depend on its position.
MODELS = {
    "bert_masked": ("BertForMaskedLM", {}, "plain", "tokenizer.json"),
    "bert_classes": ("BertForSequenceClassification", LABELS | {"hidden_act": "gelu_new"}, "gamma", "vocab.txt"),
    "bert_bare": ("BertModel", {"layer_norm_eps": 1e-3, "vocab_size": 56}, "half", "vocab.txt"),  # rows without tokens
    "distilbert_masked": ("DistilBertForMaskedLM", {}, "plain", "vocab.txt"),
    "distilbert_classes": ("DistilBertForSequenceClassification", LABELS, "plain", "vocab.txt"),
    "electra_generator": ("ElectraForMaskedLM", {"embedding_size": 8}, "shards", "vocab.txt"),
    "electra_discriminator": ("ElectraForPreTraining", {"embedding_size": 12}, "brain", "vocab.txt"),
    "electra_tags": ("ElectraForTokenClassification", LABELS | {"embedding_size": 8}, "plain", "vocab.txt"),
    "roberta_masked": ("RobertaForMaskedLM", {"type_vocab_size": 1}, "plain", "merges.txt"),
    "roberta_classes": ("RobertaForSequenceClassification", LABELS | {"type_vocab_size": 1, "hidden_act": "relu"},
                        "plain", "tokenizer.json"),
    "gpt2_next": ("GPT2LMHeadModel", {}, "bare", "merges.txt"),
    "gpt2_untied": ("GPT2LMHeadModel",
                    {"tie_word_embeddings": False, "activation_function": "quick_gelu", "n_inner": 20}, "plain",
                    "tokenizer.json"),
    "bert_untied": ("BertForMaskedLM", {"tie_word_embeddings": False, "hidden_act": "relu"}, "plain", "vocab.txt"),
    "bert_labels": ("BertForSequenceClassification", LABELS | {"problem_type": "multi_label_classification"}, "plain",
                    "vocab.txt"),
    "distilbert_number": ("DistilBertForSequenceClassification", {"num_labels": 1}, "plain", "vocab.txt"),
    "gpt2_scaled": ("GPT2LMHeadModel", {"scale_attn_by_inverse_layer_idx": True, "activation_function": "silu"}, "plain",
                    "merges.txt"),
    "gpt2_classes": ("GPT2ForSequenceClassification", LABELS, "plain", "merges.txt"),
    "xlm_roberta_masked": ("XLMRobertaForMaskedLM", {"type_vocab_size": 1}, "half", "tokenizer.json"),
    "camembert_tags": ("CamembertForTokenClassification", LABELS | {"type_vocab_size": 1}, "brain", "tokenizer.json"),
    "modernbert_masked": ("ModernBertForMaskedLM", {}, "plain", "tokenizer.json"),
    "modernbert_classes": ("ModernBertForSequenceClassification",
                           LABELS | {"norm_bias": True, "attention_bias": True, "mlp_bias": True, "classifier_bias": True,
                                     "classifier_pooling": "mean", "global_attn_every_n_layers": 2}, "half",
                           "tokenizer.json"),
    "modernbert_tags": ("ModernBertForTokenClassification",
                        LABELS | {"hidden_activation": "silu", "classifier_activation": "silu", "attention_bias": True},
                        "shards", "tokenizer.json"),
}  # fmt: skip


def word_pieces(folder):
    with open(os.path.join(folder, "vocab.txt"), "w") as file:
        file.write("".join(piece + "\n" for piece in WORDS))
    return transformers.BertTokenizer(vocab={piece: i for i, piece in enumerate(WORDS)}, do_lower_case=True)


def byte_pieces(folder, kind):
    name, special, _ = BYTES[kind]
    pieces = special + LETTERS + ["Ġ"] + ["".join(merge) for merge in MERGES]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    with open(os.path.join(folder, "vocab.json"), "w") as file:
        json.dump(vocabulary, file, ensure_ascii=False)
    with open(os.path.join(folder, "merges.txt"), "w") as file:
        file.write("#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in MERGES))
    if kind == "modernbert":
        return backend(vocabulary, special)
    return getattr(transformers, name)(vocab=vocabulary, merges=MERGES)


def unigram_pieces(kind):
    name, special, _ = SENTENCEPIECE[kind]
    scores = [(piece, 0.0) for piece in special] + [(piece, -2 - i / 8) for i, piece in enumerate(WHOLE)]
    scores += [(piece, -6 - i / 8) for i, piece in enumerate(SINGLE)] + [("<mask>", 0.0)]
    return getattr(transformers, name)(vocab=scores)


def backend(vocabulary, special):
    """ModernBERT's tokenizer: byte-level pieces between [CLS] and [SEP]."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=MERGES, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.NFC()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])  # fmt: skip
    tokenizer.add_special_tokens([tokenizers.AddedToken("[MASK]", lstrip=True, special=True)])
    tokenizer.add_special_tokens([text for text in special if text != "[MASK]"])
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **dict(zip(names, special)))


def tokens_of(folder, kind, kept):
    """The tokenizer; of the files that hold it only those named remain."""
    if kind in SENTENCEPIECE:
        tokenizer = unigram_pieces(kind)
    else:
        tokenizer = byte_pieces(folder, kind) if kind in BYTES else word_pieces(folder)
    if kept == "tokenizer.json":
        tokenizer.backend_tokenizer.enable_truncation(max_length=16)
        tokenizer.backend_tokenizer.save(os.path.join(folder, "tokenizer.json"))
        tokenizer.backend_tokenizer.no_truncation()
    else:
        with open(os.path.join(folder, "tokenizer_config.json"), "w") as file:
            json.dump({"do_lower_case": True, "model_max_length": int(1e30)}, file)  # theirs for "any length"
    wanted = {"tokenizer.json": [], "vocab.txt": ["vocab.txt"], "merges.txt": ["vocab.json", "merges.txt"]}[kept]
    for name in ("vocab.txt", "vocab.json", "merges.txt"):
        path = os.path.join(folder, name)
        if name not in wanted and os.path.exists(path):
            os.remove(path)
    return tokenizer, len(tokenizer)


def numbers(model, seed):
    """Numbers everywhere, far from a model's first ones: biases and norms, too, and sharp attention. In four layers
    smaller ones: errors of float32 would grow to 3e-5, in transformers, too."""
    scale = 0.4 if model.config.num_hidden_layers < 4 else 0.2
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            drawn = torch.randn(parameter.shape, generator=generator)
            is_norm = parameter.dim() == 1 and name.endswith("weight")
            parameter.copy_(1 + 0.2 * drawn if is_norm else scale * drawn)


def save(model, folder, how):
    if how == "half":
        model = model.half()
    if how == "brain":
        model = model.bfloat16()
    model.save_pretrained(folder, **({"max_shard_size": "8KB"} if how == "shards" else {}))
    path = os.path.join(folder, "model.safetensors")
    if how == "gamma":  # as the files of 2018, which also hold the positions' numbers
        old = {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
            for name, tensor in load_file(path).items()
        }
        old["bert.embeddings.position_ids"] = torch.arange(60)[None]
        save_file(old, path, metadata={"format": "pt"})
    if how == "bare":  # as GPT-2's own file: no prefix, and the causal masks; and the matrix that is tied, once more
        old = {name.removeprefix("transformer."): tensor for name, tensor in load_file(path).items()}
        for layer in range(2):
            old[f"h.{layer}.attn.bias"] = torch.ones(60, 60).tril()[None, None]
        old["lm_head.weight"] = old["wte.weight"].clone()
        save_file(old, path, metadata={"format": "pt"})


def compute(model, tokenizer):
    """What expected.safetensors holds."""
    has_types = getattr(model.config, "type_vocab_size", 1) > 1
    rows = {"tokens": [], "types": [], "lengths": [], "logits": []}
    for text in TEXTS:
        pair = text.split("\t")
        encoded = tokenizer(*pair, return_tensors="pt", add_special_tokens=True)
        ids = encoded["input_ids"]
        types = encoded.get("token_type_ids", torch.zeros_like(ids))
        arguments = {"input_ids": ids, "output_hidden_states": True, "output_attentions": True}
        if has_types:
            arguments["token_type_ids"] = types
        with torch.no_grad():
            out = model(**arguments)
        rows["tokens"].append(ids[0])
        rows["types"].append(types[0] if has_types else torch.zeros_like(types[0]))
        rows["lengths"].append(torch.tensor([ids.shape[1]]))
        for layer, hidden in enumerate(out.hidden_states):
            rows.setdefault(f"hidden_{layer}", []).append(hidden[0])
        for layer, attention in enumerate(out.attentions):
            rows.setdefault(f"attention_{layer}", []).append(attention[0].reshape(-1))
        logits = out.get("logits")
        if logits is not None and "PreTraining" not in type(model).__name__:
            rows["logits"].append(logits[0] if logits.dim() == 3 else logits)
    return {name: torch.cat(parts).float().contiguous() for name, parts in rows.items() if parts}


def sentence_files(folder):
    with open(os.path.join(folder, "modules.json"), "w") as file:
        types = ["Transformer", "Pooling", "Normalize"]
        paths = ["", "1_Pooling", "2_Normalize"]
        json.dump([{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"}
                   for i, (name, path) in enumerate(zip(types, paths))], file)  # fmt: skip
    os.mkdir(os.path.join(folder, "1_Pooling"))
    with open(os.path.join(folder, "1_Pooling", "config.json"), "w") as file:
        json.dump({"word_embedding_dimension": 12, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
                   "pooling_mode_max_tokens": False}, file)  # fmt: skip
    with open(os.path.join(folder, "sentence_bert_config.json"), "w") as file:
        json.dump({"max_seq_length": 8, "do_lower_case": False}, file)


def make(root, name, seed):
    class_name, fields, how, kept = MODELS[name]
    config_class = getattr(transformers, class_name).config_class
    kind = config_class.model_type
    folder = os.path.join(root, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    tokenizer, size = tokens_of(folder, kind, kept)
    sizes = shape(kind) | {"vocab_size": size} | fields
    sizes |= (BYTES | SENTENCEPIECE).get(kind, (None, None, {}))[2]
    model = getattr(transformers, class_name)(config_class(**sizes, attn_implementation="eager"))
    numbers(model, seed)
    save(model, folder, how)
    loaded = getattr(transformers, class_name).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    expected = compute(loaded.eval(), tokenizer)
    save_file(expected, os.path.join(folder, "expected.safetensors"), metadata={"texts": "\n".join(TEXTS)})
    generation = os.path.join(folder, "generation_config.json")
    if os.path.exists(generation):
        os.remove(generation)
    if name == "bert_bare":
        sentence_files(folder)
    print(f"{name}: {sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))} bytes")


def main():
    torch.set_num_threads(1)
    for seed, name in enumerate(MODELS):
        if name in sys.argv[2:] or len(sys.argv) == 2:
            make(sys.argv[1], name, seed)


if __name__ == "__main__":
    main()
