#include "data/text/private/tokens_reading.h"

#include <string.h>

hl_status hl_tokenizer_read_unigram(const char *path, const json_t *model, hl_tokens **out)
{
    const json_t *pieces = json_object_get(model, "vocab"), *unknown = json_object_get(model, "unk_id");
    size_t n = json_array_size(pieces);
    if (!hl_tokenizer_is_off(model, "byte_fallback")) {
        return hl_tokenizer_unsupported(path, "model", "byte_fallback");
    }
    if (n == 0 || n > HL_TOKENS_MAX) {
        return hl_error(HL_BAD_FILE, "%s: model: vocab is no list of 1 to %d pieces and their scores", path,
                        HL_TOKENS_MAX);
    }
    hl_tokens *tokens = *out = hl_tokens_new(HL_TOKENS_UNIGRAM);
    HL_NEED(tokens != NULL, "tokens");
    HL_TRY(hl_unigram_reserve(tokens->unigram, n));
    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(pieces, i), *piece = json_array_get(pair, 0),
                     *score = json_array_get(pair, 1);
        if (json_array_size(pair) != 2 || !json_is_string(piece) || !json_is_number(score)) {
            return hl_error(HL_BAD_FILE, "%s: model: piece %zu of vocab is no pair of a text and a score", path, i);
        }
        HL_TRY(hl_tokens_add(tokens, json_string_value(piece), json_string_length(piece)));
        tokens->unigram->scores[i] = json_number_value(score);
    }
    tokens->n_model = (int32_t)n;
    if (unknown != NULL && !json_is_null(unknown)) {
        tokens->roles[HL_ROLE_UNK] = hl_json_id(unknown);
        if (tokens->roles[HL_ROLE_UNK] < 0 || tokens->roles[HL_ROLE_UNK] >= tokens->n_model) {
            return hl_error(HL_BAD_FILE, "%s: model: unk_id is the id of no piece", path);
        }
    }
    return hl_ok();
}

/* ---- normalizer: Precompiled, Strip and Replace, each at most once, in this order ---- */

static hl_status read_precompiled(const char *path, const json_t *step, hl_unigram *unigram)
{
    return hl_charsmap_read(path, hl_tokenizer_text(step, "precompiled_charsmap"), &unigram->charsmap);
}

static hl_status read_strip(const char *path, const json_t *step, hl_unigram *unigram)
{
    if (!hl_tokenizer_is_off(step, "strip_left")) {
        return hl_tokenizer_unsupported(path, "normalizer", "Strip with strip_left");
    }
    unigram->strips_end = !hl_tokenizer_is_off(step, "strip_right");
    return hl_ok();
}

static hl_status read_replace(const char *path, const json_t *step, hl_unigram *unigram)
{
    const char *content = hl_tokenizer_text(step, "content");
    unigram->spaces = strcmp(content, " ") == 0             ? HL_SPACES_BECOME_ONE
                      : strcmp(content, HL_SPACE_MARK) == 0 ? HL_SPACES_BECOME_MARK
                                                            : HL_SPACES_STAY;
    bool several = strcmp(hl_tokenizer_text(json_object_get(step, "pattern"), "Regex"), " {2,}") == 0;
    return several && unigram->spaces != HL_SPACES_STAY
               ? hl_ok()
               : hl_tokenizer_unsupported(path, "normalizer",
                                          "a Replace other than that of {\"Regex\": \" {2,}\"} by a space or U+2581");
}

hl_status hl_tokenizer_read_unigram_normalizer(const char *path, const json_t *normalizer, hl_unigram *unigram)
{
    static const struct {
        const char *type;
        hl_status (*read)(const char *path, const json_t *step, hl_unigram *unigram);
    } steps[] = { { "Precompiled", read_precompiled }, { "Strip", read_strip }, { "Replace", read_replace } };
    enum { STEPS = sizeof steps / sizeof *steps };
    bool several = hl_tokenizer_is(normalizer, "Sequence");
    const json_t *list = json_object_get(normalizer, "normalizers");
    size_t n = several ? json_array_size(list) : 1;
    for (size_t i = 0, next = 0; i < n; i++) {
        const json_t *step = several ? json_array_get(list, i) : normalizer;
        while (next < STEPS && !hl_tokenizer_is(step, steps[next].type)) {
            next++;
        }
        if (next == STEPS) {
            bool known = false;
            for (int k = 0; k < STEPS; k++) {
                known = known || hl_tokenizer_is(step, steps[k].type);
            }
            return hl_tokenizer_unsupported(path, "normalizer",
                                            known ? "an order other than Precompiled, Strip, Replace"
                                                  : hl_tokenizer_text(step, "type"));
        }
        HL_TRY(steps[next++].read(path, step, unigram));
    }
    return hl_ok();
}

/* ---- pre_tokenizer: Metaspace, or WhitespaceSplit and Metaspace ---- */

static const json_t *find_metaspace(const json_t *pre_tokenizer, hl_unigram *unigram)
{
    const json_t *list = json_object_get(pre_tokenizer, "pretokenizers");
    if (!hl_tokenizer_is(pre_tokenizer, "Sequence") || json_array_size(list) != 2) {
        return pre_tokenizer;
    }
    unigram->drops_white = hl_tokenizer_is(json_array_get(list, 0), "WhitespaceSplit");
    return unigram->drops_white ? json_array_get(list, 1) : pre_tokenizer;
}

hl_status hl_tokenizer_read_metaspace(const char *path, const json_t *pre_tokenizer, hl_tokens *tokens)
{
    const json_t *metaspace = find_metaspace(pre_tokenizer, tokens->unigram);
    if (!hl_tokenizer_is(metaspace, "Metaspace")) {
        return hl_tokenizer_unsupported(path, "pre_tokenizer", hl_tokenizer_text(metaspace, "type"));
    }
    if (strcmp(hl_tokenizer_text(metaspace, "replacement"), HL_SPACE_MARK) != 0) {
        return hl_tokenizer_unsupported(path, "pre_tokenizer", "Metaspace with a replacement other than U+2581");
    }
    if (json_is_false(json_object_get(metaspace, "split"))) {
        return hl_tokenizer_unsupported(path, "pre_tokenizer", "Metaspace with split = false");
    }
    const char *scheme = hl_tokenizer_text(metaspace, "prepend_scheme"); /* files up to 2023 have add_prefix_space */
    bool never = scheme[0] == '\0' ? json_is_false(json_object_get(metaspace, "add_prefix_space"))
                                   : strcmp(scheme, "never") == 0;
    tokens->unigram->first_only = strcmp(scheme, "first") == 0;
    if (scheme[0] != '\0' && !never && !tokens->unigram->first_only && strcmp(scheme, "always") != 0) {
        return hl_tokenizer_unsupported(path, "pre_tokenizer", scheme);
    }
    tokens->rules.prefix_space = !never;
    return hl_ok();
}
