#include "data/text/tokens_file.h"

#include "data/text/private/tokens_reading.h"

#include <string.h>

static hl_status read_wordpiece(const char *path, const json_t *model, hl_tokens *tokens)
{
    const json_t *characters = json_object_get(model, "max_input_chars_per_word");
    if (strcmp(hl_tokenizer_text(model, "continuing_subword_prefix"), "##") != 0) {
        return hl_tokenizer_unsupported(path, "model", "a continuing_subword_prefix other than ##");
    }
    if (characters != NULL) {
        tokens->rules.word_characters = json_is_integer(characters) ? json_integer_value(characters) : 0;
    }
    if (tokens->rules.word_characters < 1 || tokens->rules.word_characters > HL_WORD_CHARACTERS_MAX) {
        return hl_error(HL_BAD_FILE, "%s: model: max_input_chars_per_word is not from 1 to %d", path,
                        HL_WORD_CHARACTERS_MAX);
    }
    return hl_ok();
}

static hl_status read_bpe(const char *path, const json_t *model, hl_tokens *tokens)
{
    static const char *const others[] = { "dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback",
                                          "ignore_merges" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (!hl_tokenizer_is_off(model, others[i])) {
            return hl_tokenizer_unsupported(path, "model", others[i]);
        }
    }
    tokens->rules.unknown_bytes = !hl_tokenizer_is_off(model, "unk_token");
    return tokens->rules.unknown_bytes && !hl_tokenizer_is_off(model, "fuse_unk")
               ? hl_tokenizer_unsupported(path, "model", "fuse_unk")
               : hl_ok();
}

static hl_status read_model(const char *path, const json_t *model, hl_tokens **out)
{
    bool typed = !hl_tokenizer_is_off(model, "type"); /* files from 2020 are not */
    bool bpe = typed ? hl_tokenizer_is(model, "BPE") : !hl_tokenizer_is_off(model, "merges");
    bool unigram = typed ? hl_tokenizer_is(model, "Unigram") : json_is_array(json_object_get(model, "vocab"));
    bool wordpiece =
        typed ? hl_tokenizer_is(model, "WordPiece") : !bpe && !hl_tokenizer_is_off(model, "max_input_chars_per_word");
    if (unigram) {
        return hl_tokenizer_read_unigram(path, model, out);
    }
    if (!wordpiece && !bpe) {
        return hl_tokenizer_unsupported(path, "model", hl_tokenizer_text(model, "type"));
    }
    json_t *pieces = json_object_get(model, "vocab");
    if (!json_is_object(pieces)) {
        return hl_error(HL_BAD_FILE, "%s: model: vocab is no object of pieces and their ids", path);
    }
    hl_tokens *tokens = *out = hl_tokens_new(wordpiece ? HL_TOKENS_WORDPIECE : HL_TOKENS_BPE);
    HL_NEED(tokens != NULL, "tokens");
    HL_TRY(wordpiece ? read_wordpiece(path, model, tokens) : read_bpe(path, model, tokens));
    HL_TRY(hl_json_pieces(path, pieces, tokens));
    const char *unknown = hl_tokenizer_text(model, "unk_token");
    if (unknown[0] != '\0') {
        const json_t *id = json_object_get(pieces, unknown);
        if (id == NULL) {
            return hl_error(HL_BAD_FILE, "%s: model: the unk_token %s is not in vocab", path, unknown);
        }
        tokens->roles[HL_ROLE_UNK] = hl_json_id(id);
    }
    return hl_ok();
}

/* A merge is "left right", or since 2024 ["left", "right"]. */
static hl_status read_merges(const char *path, const json_t *model, hl_tokens *tokens)
{
    const json_t *merges = json_object_get(model, "merges");
    for (size_t i = 0; i < json_array_size(merges); i++) {
        json_t *merge = json_array_get(merges, i);
        const char *both = json_string_value(merge), *space = both != NULL ? strchr(both, ' ') : NULL;
        const char *left = both, *right = space != NULL ? space + 1 : NULL;
        if (right == NULL && json_unpack(merge, "[s, s!]", &left, &right) != 0) {
            return hl_error(HL_BAD_FILE, "%s: model: merge %zu is no pair of pieces", path, i + 1);
        }
        size_t l = space != NULL ? (size_t)(space - left) : strlen(left);
        HL_TRY(hl_tokens_merge(tokens, path, left, l, right, strlen(right)));
    }
    return hl_ok();
}

static hl_status read_normalizer(const char *path, const json_t *normalizer, hl_tokens *tokens)
{
    if (normalizer == NULL || json_is_null(normalizer)) {
        return hl_ok();
    }
    if (tokens->kind == HL_TOKENS_UNIGRAM) {
        return hl_tokenizer_read_unigram_normalizer(path, normalizer, tokens->unigram);
    }
    if (tokens->kind == HL_TOKENS_BPE && hl_tokenizer_is(normalizer, "NFC")) {
        tokens->rules.nfc = true;
        return hl_ok();
    }
    if (tokens->kind != HL_TOKENS_WORDPIECE || !hl_tokenizer_is(normalizer, "BertNormalizer")) {
        return hl_tokenizer_unsupported(path, "normalizer", hl_tokenizer_text(normalizer, "type"));
    }
    const json_t *accents = json_object_get(normalizer, "strip_accents");
    tokens->rules.clean = json_is_true(json_object_get(normalizer, "clean_text"));
    tokens->rules.cjk = json_is_true(json_object_get(normalizer, "handle_chinese_chars"));
    tokens->rules.lowercase = json_is_true(json_object_get(normalizer, "lowercase"));
    tokens->rules.accents = json_is_boolean(accents) ? json_is_true(accents) : tokens->rules.lowercase;
    return hl_ok();
}

hl_status hl_tokens_set_bert_rules(hl_tokens *tokens, bool lowercase, bool accents, bool cjk, bool *changed)
{
    hl_tokens_rules *rules = &tokens->rules;
    bool same = rules->clean && rules->cjk == cjk && rules->accents == accents && rules->lowercase == lowercase;
    *changed = tokens->kind == HL_TOKENS_WORDPIECE && !same;
    if (!*changed) {
        return hl_ok();
    }
    rules->clean = true;
    rules->cjk = cjk;
    rules->accents = accents;
    rules->lowercase = lowercase;
    return hl_tokens_match(tokens, "tokenizer.json", true);
}

hl_status hl_tokens_set_prefix_space(hl_tokens *tokens)
{
    if (tokens->kind != HL_TOKENS_BPE && tokens->kind != HL_TOKENS_UNIGRAM) {
        return hl_error(HL_INVALID,
                        "task.prefix_space = true: the tokens are of kind %s, and only bpe and unigram read spaces",
                        hl_tokens_kind_name(tokens->kind));
    }
    tokens->rules.prefix_space = true;
    return hl_ok();
}

static hl_status read_pre_tokenizer(const char *path, const json_t *pre_tokenizer, hl_tokens *tokens)
{
    if (tokens->kind == HL_TOKENS_UNIGRAM) {
        return hl_tokenizer_read_metaspace(path, pre_tokenizer, tokens);
    }
    if (!hl_tokenizer_is(pre_tokenizer, tokens->kind == HL_TOKENS_BPE ? "ByteLevel" : "BertPreTokenizer")) {
        return hl_tokenizer_unsupported(path, "pre_tokenizer", hl_tokenizer_text(pre_tokenizer, "type"));
    }
    if (json_is_false(json_object_get(pre_tokenizer, "use_regex"))) {
        return hl_tokenizer_unsupported(path, "pre_tokenizer", "use_regex = false");
    }
    tokens->rules.prefix_space = json_is_true(json_object_get(pre_tokenizer, "add_prefix_space"));
    return hl_ok();
}

static hl_status read_added(const char *path, const json_t *added, hl_tokens *tokens)
{
    const int32_t n_model = hl_tokens_count(tokens);
    for (size_t i = 0; i < json_array_size(added); i++) {
        const json_t *token = json_array_get(added, i);
        const json_t *content = json_object_get(token, "content");
        const char *text = hl_tokenizer_text(token, "content");
        const hl_added_token read = { .id = hl_json_id(json_object_get(token, "id")),
                                      .strip_left = !hl_tokenizer_is_off(token, "lstrip"),
                                      .strip_right = !hl_tokenizer_is_off(token, "rstrip"),
                                      .single_word = !hl_tokenizer_is_off(token, "single_word"),
                                      .normalized = !hl_tokenizer_is_off(token, "normalized"),
                                      .ordinary = hl_tokenizer_is_off(token, "special") };
        if (text[0] == '\0' || read.id < 0 || read.id > hl_tokens_count(tokens)) {
            return hl_error(HL_BAD_FILE, "%s: added_tokens: token %zu has no content, or an id that leaves a gap", path,
                            i + 1);
        }
        if (read.id == hl_tokens_count(tokens)) {
            HL_TRY(hl_tokens_add(tokens, text, json_string_length(content)));
        } else if (strcmp(hl_tokens_piece(tokens, read.id, NULL), text) != 0) {
            return hl_error(HL_BAD_FILE, "%s: added_tokens: %s has the id %d of the piece %s", path, text, read.id,
                            hl_tokens_piece(tokens, read.id, NULL));
        }
        tokens->n_model = hl_added_is_plain(&read) ? tokens->n_model : n_model;
        HL_TRY(hl_tokens_mark_added(tokens, read));
    }
    return hl_ok();
}

static hl_status add_item(const char *path, hl_template *template, int32_t id, int32_t type)
{
    if (template->n == HL_TEMPLATE_MAX || type < 0 || type > 1) {
        return hl_tokenizer_unsupported(path, "post_processor", "a template that is so long or has such types");
    }
    template->at[template->n].id = id;
    template->at[template->n++].type = type;
    return hl_ok();
}

/* One of the lists of a TemplateProcessing. */
static hl_status read_template(const char *path, const json_t *list, const json_t *specials, hl_template *template)
{
    template->n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const json_t *sequence = json_object_get(item, "Sequence"), *special = json_object_get(item, "SpecialToken");
        const json_t *what = sequence != NULL ? sequence : special;
        json_int_t type = json_integer_value(json_object_get(what, "type_id"));
        type = type >= 0 && type <= 1 ? type : -1;
        if (sequence != NULL) {
            HL_TRY(add_item(path, template, strcmp(hl_tokenizer_text(sequence, "id"), "A") == 0 ? HL_TEXT_A : HL_TEXT_B,
                            (int32_t)type));
        }
        const json_t *ids = json_object_get(json_object_get(specials, hl_tokenizer_text(special, "id")), "ids");
        if (sequence == NULL && json_array_size(ids) == 0) {
            return hl_error(HL_BAD_FILE, "%s: post_processor: the special token %s has no ids", path,
                            hl_tokenizer_text(special, "id"));
        }
        for (size_t k = 0; sequence == NULL && k < json_array_size(ids); k++) {
            HL_TRY(add_item(path, template, hl_json_id(json_array_get(ids, k)), (int32_t)type));
        }
    }
    return hl_ok();
}

/* The id of ["[CLS]", 101]. */
static int32_t id_of_pair(const json_t *pair)
{
    return hl_json_id(json_array_get(pair, 1));
}

static hl_status read_post_processor(const char *path, const json_t *processor, hl_tokens *tokens)
{
    if (processor == NULL || json_is_null(processor) || hl_tokenizer_is(processor, "ByteLevel")) {
        return hl_ok();
    }
    if (hl_tokenizer_is(processor, "BertProcessing") || hl_tokenizer_is(processor, "RobertaProcessing")) {
        int32_t before = id_of_pair(json_object_get(processor, "cls")),
                after = id_of_pair(json_object_get(processor, "sep"));
        if (hl_tokenizer_is(processor, "RobertaProcessing")) {
            hl_tokens_wrap_as_roberta(tokens, before, after);
        } else {
            hl_tokens_set_templates(tokens, before, after);
        }
        return hl_ok();
    }
    if (hl_tokenizer_is(processor, "TemplateProcessing")) {
        const json_t *specials = json_object_get(processor, "special_tokens");
        HL_TRY(read_template(path, json_object_get(processor, "single"), specials, &tokens->single));
        return read_template(path, json_object_get(processor, "pair"), specials, &tokens->pair);
    }
    const json_t *list = json_object_get(processor, "processors");
    if (!hl_tokenizer_is(processor, "Sequence") || json_array_size(list) != 2 ||
        !hl_tokenizer_is(json_array_get(list, 0), "ByteLevel") ||
        hl_tokenizer_is(json_array_get(list, 1), "Sequence")) {
        return hl_tokenizer_unsupported(path, "post_processor", hl_tokenizer_text(processor, "type"));
    }
    return read_post_processor(path, json_array_get(list, 1), tokens);
}

/* The tokens directly before and after a single text serve as cls and sep. */
static void roles_of_template(hl_tokens *tokens)
{
    const hl_template *single = &tokens->single;
    for (int i = 0; i < single->n; i++) {
        if (single->at[i].id == HL_TEXT_A) {
            tokens->roles[HL_ROLE_CLS] = i > 0 ? single->at[i - 1].id : -1;
            tokens->roles[HL_ROLE_SEP] = i + 1 < single->n ? single->at[i + 1].id : -1;
        }
    }
}

static hl_status read(const char *path, json_t *root, void *context, hl_tokens **out)
{
    bool *ignored = context;
    *ignored = !hl_tokenizer_is_off(root, "truncation") || !hl_tokenizer_is_off(root, "padding");
    const json_t *model = json_object_get(root, "model");
    HL_TRY(read_model(path, model, out));
    hl_tokens *tokens = *out;
    HL_TRY(read_normalizer(path, json_object_get(root, "normalizer"), tokens));
    HL_TRY(read_pre_tokenizer(path, json_object_get(root, "pre_tokenizer"), tokens));
    HL_TRY(read_added(path, json_object_get(root, "added_tokens"), tokens));
    HL_TRY(read_post_processor(path, json_object_get(root, "post_processor"), tokens));
    roles_of_template(tokens);
    HL_TRY(hl_tokens_index(tokens, path, false));
    hl_tokens_usual_roles(tokens);
    if (tokens->kind == HL_TOKENS_BPE) {
        HL_TRY(read_merges(path, model, tokens));
    }
    return hl_tokens_finish(tokens, path);
}

hl_status hl_tokens_load_tokenizer(const char *path, hl_tokens **out, bool *ignored)
{
    *ignored = false;
    return hl_tokens_read_json(path, read, ignored, out);
}
