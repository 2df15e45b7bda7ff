#include "core/files/files.h"
#include "core/files/json.h"
#include "core/files/json_text.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/tokens_file.h"

/* {"type": ...} with the members of `rest`. */
static json_t *typed(const char *type, json_t *rest)
{
    json_t *object = json_pack("{s: s}", "type", type);
    object = rest != NULL ? hl_json_checked(object, json_object_update(object, rest)) : hl_json_checked(object, 1);
    json_decref(rest);
    return object;
}

static json_t *added_json(const hl_tokens *tokens)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tokens->n_added; i++) {
        hl_added_token added = tokens->added[i];
        hl_json_append(&list, json_pack("{s: i, s: s, s: b, s: b, s: b, s: b, s: b}", "id", added.id, "content",
                                        hl_tokens_piece(tokens, added.id, NULL), "single_word", added.single_word,
                                        "lstrip", added.strip_left, "rstrip", added.strip_right, "normalized",
                                        added.normalized, "special", !added.ordinary));
    }
    return list;
}

static json_t *normalizer_json(const hl_tokens_rules *rules)
{
    return typed("BertNormalizer",
                 json_pack("{s: b, s: b, s: b, s: b}", "clean_text", rules->clean, "handle_chinese_chars", rules->cjk,
                           "strip_accents", rules->accents, "lowercase", rules->lowercase));
}

/* One step alone, or a Sequence of them. */
static json_t *sequence_json(const char *member, json_t *steps)
{
    if (json_array_size(steps) == 1) {
        json_t *step = json_incref(json_array_get(steps, 0));
        json_decref(steps);
        return step;
    }
    return typed("Sequence", json_pack("{s: o}", member, steps));
}

static json_t *unigram_normalizer_json(const hl_unigram *unigram)
{
    json_t *steps = json_array();
    if (unigram->charsmap.base64 != NULL) {
        hl_json_append(&steps,
                       typed("Precompiled", json_pack("{s: s}", "precompiled_charsmap", unigram->charsmap.base64)));
    }
    if (unigram->strips_end) {
        hl_json_append(&steps, typed("Strip", json_pack("{s: b, s: b}", "strip_left", 0, "strip_right", 1)));
    }
    if (unigram->spaces != HL_SPACES_STAY) {
        const char *content = unigram->spaces == HL_SPACES_BECOME_ONE ? " " : HL_SPACE_MARK;
        hl_json_append(
            &steps, typed("Replace", json_pack("{s: {s: s}, s: s}", "pattern", "Regex", " {2,}", "content", content)));
    }
    if (steps != NULL && json_array_size(steps) == 0) {
        json_decref(steps);
        return json_null();
    }
    return sequence_json("normalizers", steps);
}

static json_t *metaspace_json(const hl_tokens *tokens)
{
    const char *scheme = !tokens->rules.prefix_space ? "never" : tokens->unigram->first_only ? "first" : "always";
    return typed("Metaspace",
                 json_pack("{s: s, s: s, s: b}", "replacement", HL_SPACE_MARK, "prepend_scheme", scheme, "split", 1));
}

static json_t *unigram_pre_tokenizer_json(const hl_tokens *tokens)
{
    json_t *steps = json_array();
    if (tokens->unigram->drops_white) {
        hl_json_append(&steps, typed("WhitespaceSplit", json_object()));
    }
    hl_json_append(&steps, metaspace_json(tokens));
    return sequence_json("pretokenizers", steps);
}

static json_t *byte_level_json(bool prefix_space)
{
    return typed("ByteLevel",
                 json_pack("{s: b, s: b, s: b}", "add_prefix_space", prefix_space, "trim_offsets", 1, "use_regex", 1));
}

/* ---- what stands around a text ---- */

static json_t *template_json(const hl_tokens *tokens, const hl_template *template)
{
    json_t *list = json_array();
    for (int i = 0; i < template->n; i++) {
        int32_t id = template->at[i].id;
        const char *name = id >= 0 ? hl_tokens_piece(tokens, id, NULL) : id == HL_TEXT_A ? "A" : "B";
        hl_json_append(&list, json_pack("{s: {s: s, s: i}}", id >= 0 ? "SpecialToken" : "Sequence", "id", name,
                                        "type_id", template->at[i].type));
    }
    return list;
}

static json_t *ids_of_templates(const hl_tokens *tokens)
{
    const hl_template *const templates[] = { &tokens->single, &tokens->pair };
    json_t *ids = json_object();
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < templates[t]->n; i++) {
            int32_t id = templates[t]->at[i].id;
            if (id >= 0) {
                const char *name = hl_tokens_piece(tokens, id, NULL);
                json_t *one = json_pack("{s: s, s: [i], s: [s]}", "id", name, "ids", id, "tokens", name);
                ids = hl_json_checked(ids, json_object_set_new(ids, name, one));
            }
        }
    }
    return ids;
}

/* null if nothing is to be put around texts. */
static json_t *post_processor_json(const hl_tokens *tokens)
{
    if (tokens->single.n == 1 && tokens->pair.n == 2) {
        return json_null();
    }
    return typed("TemplateProcessing",
                 json_pack("{s: o, s: o, s: o}", "single", template_json(tokens, &tokens->single), "pair",
                           template_json(tokens, &tokens->pair), "special_tokens", ids_of_templates(tokens)));
}

/* ---- the pieces ---- */

static json_t *pieces_json(const hl_tokens *tokens)
{
    json_t *pieces = json_object();
    for (int32_t id = 0; id < tokens->n_model; id++) {
        pieces =
            hl_json_checked(pieces, json_object_set_new(pieces, hl_tokens_piece(tokens, id, NULL), json_integer(id)));
    }
    return pieces;
}

static json_t *wordpiece_json(const hl_tokens *tokens)
{
    return typed("WordPiece", json_pack("{s: s, s: s, s: I, s: o}", "unk_token",
                                        hl_tokens_piece(tokens, tokens->roles[HL_ROLE_UNK], NULL),
                                        "continuing_subword_prefix", "##", "max_input_chars_per_word",
                                        (json_int_t)tokens->rules.word_characters, "vocab", pieces_json(tokens)));
}

static json_t *bpe_json(const hl_tokens *tokens)
{
    json_t *merges = json_array();
    for (size_t i = 0; i < tokens->n_merges; i++) {
        hl_merge merge = tokens->merges[i];
        hl_json_append(&merges, json_pack("s++", hl_tokens_piece(tokens, merge.left, NULL), " ",
                                          hl_tokens_piece(tokens, merge.right, NULL)));
    }
    const char *unknown =
        tokens->rules.unknown_bytes ? hl_tokens_piece(tokens, tokens->roles[HL_ROLE_UNK], NULL) : NULL;
    return typed("BPE",
                 json_pack("{s: n, s: s?, s: s, s: s, s: b, s: b, s: b, s: o, s: o}", "dropout", "unk_token", unknown,
                           "continuing_subword_prefix", "", "end_of_word_suffix", "", "fuse_unk", 0, "byte_fallback", 0,
                           "ignore_merges", 0, "vocab", pieces_json(tokens), "merges", merges));
}

static json_t *unigram_json(const hl_tokens *tokens)
{
    json_t *pieces = json_array();
    for (int32_t id = 0; id < tokens->n_model; id++) {
        hl_json_append(&pieces, json_pack("[s, f]", hl_tokens_piece(tokens, id, NULL), tokens->unigram->scores[id]));
    }
    int32_t unknown = tokens->roles[HL_ROLE_UNK];
    return typed("Unigram",
                 json_pack("{s: o, s: o, s: b}", "unk_id", unknown >= 0 ? json_integer(unknown) : json_null(), "vocab",
                           pieces, "byte_fallback", 0));
}

/* The parts that depend on the kind. */
typedef struct parts {
    json_t *normalizer, *pre_tokenizer, *decoder, *model;
} parts;

static parts parts_of(const hl_tokens *tokens)
{
    switch (tokens->kind) {
    case HL_TOKENS_WORDPIECE:
        return (parts){ normalizer_json(&tokens->rules), typed("BertPreTokenizer", json_object()),
                        typed("WordPiece", json_pack("{s: s, s: b}", "prefix", "##", "cleanup", 1)),
                        wordpiece_json(tokens) };
    case HL_TOKENS_UNIGRAM:
        return (parts){ unigram_normalizer_json(tokens->unigram), unigram_pre_tokenizer_json(tokens),
                        metaspace_json(tokens), unigram_json(tokens) };
    default:
        return (parts){ tokens->rules.nfc ? typed("NFC", json_object()) : json_null(),
                        byte_level_json(tokens->rules.prefix_space), byte_level_json(true), bpe_json(tokens) };
    }
}

hl_status hl_tokens_save_tokenizer(const hl_tokens *tokens, const char *path)
{
    if (tokens->kind != HL_TOKENS_WORDPIECE && tokens->kind != HL_TOKENS_BPE && tokens->kind != HL_TOKENS_UNIGRAM) {
        return hl_error(HL_INVALID, "%s: holds tokens of the kind wordpiece, bpe or unigram, and these are %s", path,
                        hl_tokens_kind_name(tokens->kind));
    }
    parts p = parts_of(tokens);
    json_t *root =
        json_pack("{s: s, s: n, s: n, s: o, s: o, s: o, s: o, s: o, s: o}", "version", "1.0", "truncation", "padding",
                  "added_tokens", added_json(tokens), "normalizer", p.normalizer, "pre_tokenizer", p.pre_tokenizer,
                  "post_processor", post_processor_json(tokens), "decoder", p.decoder, "model", p.model);
    hl_text text = { 0 };
    hl_json_print(&text, root, JSON_INDENT(2) | JSON_REAL_PRECISION(HL_SCORE_DIGITS));
    return hl_file_replace_text(path, &text, HL_DURABLE);
}
