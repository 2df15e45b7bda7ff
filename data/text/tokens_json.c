#include "core/files/files.h"
#include "core/files/json.h"
#include "core/files/json_text.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/private/tokens_reading.h"
#include "data/text/tokens_file.h"

#include <string.h>

static json_t *template_json(const hl_template *template)
{
    json_t *list = json_array();
    for (int i = 0; i < template->n; i++) {
        int32_t id = template->at[i].id;
        json_t *what = id >= 0 ? json_integer(id) : json_string(id == HL_TEXT_A ? "A" : "B");
        hl_json_append(&list, json_pack("[o, i]", what, template->at[i].type));
    }
    return list;
}

static json_t *roles_json(const hl_tokens *tokens)
{
    json_t *roles = json_object();
    for (int role = 0; role < HL_ROLES; role++) {
        if (tokens->roles[role] >= 0) {
            json_t *id = json_integer(tokens->roles[role]);
            roles = hl_json_checked(roles, json_object_set_new(roles, hl_role_name((hl_role)role), id));
        }
    }
    return roles;
}

static json_t *pieces_json(const hl_tokens *tokens)
{
    json_t *list = json_array();
    for (int32_t id = 0; id < hl_tokens_count(tokens); id++) {
        hl_json_append(&list, json_string(hl_tokens_piece(tokens, id, NULL)));
    }
    return list;
}

static const char *const spaces_names[HL_SPACES_RULES] = { "stay", "one", "mark" };

static json_t *unigram_json(const hl_unigram *unigram)
{
    json_t *scores = json_array();
    for (size_t id = 0; id < unigram->n_scores; id++) {
        hl_json_append(&scores, json_real(unigram->scores[id]));
    }
    return json_pack("{s: o, s: s?, s: s, s: b, s: b, s: b}", "scores", scores, "charsmap", unigram->charsmap.base64,
                     "spaces", spaces_names[unigram->spaces], "strips_end", unigram->strips_end, "drops_white",
                     unigram->drops_white, "first_only", unigram->first_only);
}

hl_status hl_tokens_json(const hl_tokens *tokens, hl_text *text)
{
    json_t *specials = json_array(), *others = NULL, *merges = json_array();
    for (size_t i = 0; i < tokens->n_added; i++) {
        hl_added_token t = tokens->added[i];
        if (hl_added_is_plain(&t)) {
            hl_json_append(&specials, json_pack("[i, b, b]", t.id, t.strip_left, t.strip_right));
        } else {
            others = others != NULL ? others : json_array();
            hl_json_append(&others, json_pack("[i, b, b, b, b, b]", t.id, t.strip_left, t.strip_right, t.single_word,
                                              t.normalized, !t.ordinary));
        }
    }
    for (size_t i = 0; i < tokens->n_merges; i++) {
        hl_json_append(&merges, json_pack("[i, i]", tokens->merges[i].left, tokens->merges[i].right));
    }
    hl_tokens_rules rules = tokens->rules;
    json_t *root = json_pack(
        "{s: i, s: s, s: {s: b, s: b, s: b, s: b, s: I, s: b, s: b}, s: o, s: o, s: o, s: o, s: o, s: o}", "format",
        rules.nfc                 ? HL_TOKENS_FORMAT
        : tokens->unigram != NULL ? 3
        : others != NULL          ? 2
                                  : 1,
        "kind", hl_tokens_kind_name(tokens->kind), "rules", "clean_text", rules.clean, "cjk_alone", rules.cjk,
        "strip_accents", rules.accents, "lowercase", rules.lowercase, "word_characters",
        (json_int_t)rules.word_characters, "prefix_space", rules.prefix_space, "unknown_bytes", rules.unknown_bytes,
        "roles", roles_json(tokens), "special", specials, "single", template_json(&tokens->single), "pair",
        template_json(&tokens->pair), "pieces", pieces_json(tokens), "merges", merges);
    if (others != NULL) {
        int failed = json_object_set_new(root, "added", others);
        failed |= json_object_set_new(root, "model_pieces", json_integer(tokens->n_model));
        root = hl_json_checked(root, failed);
    }
    if (tokens->unigram != NULL) {
        root = hl_json_checked(root, json_object_set_new(root, "unigram", unigram_json(tokens->unigram)));
    }
    if (rules.nfc) {
        root = hl_json_checked(root, json_object_set_new(json_object_get(root, "rules"), "nfc", json_true()));
    }
    hl_json_print(text, root, JSON_COMPACT | JSON_REAL_PRECISION(HL_SCORE_DIGITS));
    return hl_text_status(text);
}

hl_status hl_tokens_save(const hl_tokens *tokens, const char *path)
{
    hl_text text = { 0 };
    hl_tokens_json(tokens, &text);
    return hl_file_replace_text(path, &text, HL_DURABLE);
}

static hl_status read_template(const char *path, const json_t *list, hl_template *template)
{
    template->n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *what = NULL;
        int type = -1;
        int unpacked = json_unpack(json_array_get(list, i), "[o, i!]", &what, &type);
        const char *name = json_string_value(what);
        bool known = name == NULL || strcmp(name, "A") == 0 || strcmp(name, "B") == 0;
        if (unpacked != 0 || !known || i == HL_TEMPLATE_MAX || type < 0 || type > 1) {
            return hl_error(HL_BAD_FILE,
                            "%s: single and pair are at most %d pairs of an id, \"A\" or \"B\", and a type", path,
                            HL_TEMPLATE_MAX);
        }
        template->at[i].id = name == NULL ? hl_json_id(what) : strcmp(name, "A") == 0 ? HL_TEXT_A : HL_TEXT_B;
        template->at[i].type = type;
        template->n++;
    }
    return hl_ok();
}

static hl_status read_roles(const char *path, const json_t *roles, hl_tokens *tokens)
{
    size_t known = 0;
    for (int role = 0; role < HL_ROLES; role++) {
        const json_t *id = json_object_get(roles, hl_role_name((hl_role)role));
        if (id != NULL) {
            tokens->roles[role] = hl_json_id(id);
            known++;
        }
    }
    return known == json_object_size(roles) ? hl_ok() : hl_error(HL_BAD_FILE, "%s: an unknown role in roles", path);
}

/* `plain`: the list `special`, else `added`. */
static hl_status read_added(const char *path, const json_t *list, bool plain, hl_tokens *tokens)
{
    bool can = plain || tokens->kind == HL_TOKENS_WORDPIECE || tokens->kind == HL_TOKENS_BPE || tokens->unigram != NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *id, *item = json_array_get(list, i);
        int left, right, word = 0, normalized = 0, special = 1;
        int unpacked = plain
                           ? json_unpack(item, "[o, b, b!]", &id, &left, &right)
                           : json_unpack(item, "[o, b, b, b, b, b!]", &id, &left, &right, &word, &normalized, &special);
        if (!can || unpacked != 0) {
            return hl_error(HL_BAD_FILE, "%s: %s", path,
                            plain ? "special is a list of [id, strips left, strips right]"
                                  : "added, of wordpiece, bpe and unigram, is a list of [id, lstrip, rstrip, "
                                    "single_word, normalized, special]");
        }
        HL_TRY(hl_tokens_mark_added(tokens, (hl_added_token){ .id = hl_json_id(id),
                                                              .strip_left = left,
                                                              .strip_right = right,
                                                              .single_word = word,
                                                              .normalized = normalized,
                                                              .ordinary = !special }));
    }
    return hl_ok();
}

static hl_status read_merges(const char *path, const json_t *list, hl_tokens *tokens)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *ids[2];
        const char *texts[2] = { NULL, NULL };
        size_t sizes[2];
        if (json_unpack(json_array_get(list, i), "[o, o!]", &ids[0], &ids[1]) == 0) {
            texts[0] = hl_tokens_piece(tokens, hl_json_id(ids[0]), &sizes[0]);
            texts[1] = hl_tokens_piece(tokens, hl_json_id(ids[1]), &sizes[1]);
        }
        if (texts[0] == NULL || texts[1] == NULL) {
            return hl_error(HL_BAD_FILE, "%s: merges is a list of pairs of pieces' ids: number %zu is none", path,
                            i + 1);
        }
        HL_TRY(hl_tokens_merge(tokens, path, texts[0], sizes[0], texts[1], sizes[1]));
    }
    return hl_ok();
}

static hl_status read_unigram(const char *path, const json_t *root, hl_tokens *tokens)
{
    hl_unigram *unigram = tokens->unigram;
    const json_t *scores = NULL, *charsmap = NULL;
    const char *spaces = "";
    int strips_end = 0, drops_white = 0, first_only = 0, rule = 0;
    bool good = root != NULL && json_unpack((json_t *)root, "{s: o, s: o, s: s, s: b, s: b, s: b!}", "scores", &scores,
                                            "charsmap", &charsmap, "spaces", &spaces, "strips_end", &strips_end,
                                            "drops_white", &drops_white, "first_only", &first_only) == 0;
    size_t n = json_array_size(scores);
    while (rule < HL_SPACES_RULES && strcmp(spaces, spaces_names[rule]) != 0) {
        rule++;
    }
    good = good && (json_is_string(charsmap) || json_is_null(charsmap)) && rule < HL_SPACES_RULES && n > 0 &&
           n <= (size_t)hl_tokens_count(tokens);
    for (size_t id = 0; good && id < n; id++) {
        good = json_is_number(json_array_get(scores, id));
    }
    if (!good) {
        return hl_error(HL_BAD_FILE,
                        "%s: unigram has a score for each piece of the model, charsmap, spaces, strips_end, "
                        "drops_white and first_only",
                        path);
    }
    HL_TRY(hl_unigram_reserve(unigram, n));
    for (size_t id = 0; id < n; id++) {
        unigram->scores[id] = json_number_value(json_array_get(scores, id));
    }
    unigram->spaces = (hl_spaces)rule;
    unigram->strips_end = strips_end;
    unigram->drops_white = drops_white;
    unigram->first_only = first_only;
    tokens->n_model = (int32_t)n;
    return json_is_string(charsmap) ? hl_charsmap_read(path, json_string_value(charsmap), &unigram->charsmap) : hl_ok();
}

static hl_status read(const char *path, json_t *root, void *context, hl_tokens **out)
{
    (void)context;
    json_error_t error;
    int format, clean, cjk, accents, lowercase, space, unknown, nfc = 0;
    json_int_t characters;
    const char *kind;
    json_t *roles, *special, *single, *pair, *pieces, *merges, *others = NULL, *unigram = NULL;
    int n_model = 0;
    if (json_unpack_ex(root, &error, 0, "{s: i}", "format", &format) != 0 || format < 1 || format > HL_TOKENS_FORMAT) {
        return hl_error(HL_BAD_FILE, "%s: no tokens.json of format 1 to %d", path, HL_TOKENS_FORMAT);
    }
    if (json_unpack_ex(root, &error, JSON_STRICT,
                       "{s: i, s: s, s: {s: b, s: b, s: b, s: b, s: I, s: b, s: b, s?b}, s: o, s: o, s: o, s: o, s: o, "
                       "s: o, s?o, s?i, s?o}",
                       "format", &format, "kind", &kind, "rules", "clean_text", &clean, "cjk_alone", &cjk,
                       "strip_accents", &accents, "lowercase", &lowercase, "word_characters", &characters,
                       "prefix_space", &space, "unknown_bytes", &unknown, "nfc", &nfc, "roles", &roles, "special",
                       &special, "single", &single, "pair", &pair, "pieces", &pieces, "merges", &merges, "added",
                       &others, "model_pieces", &n_model, "unigram", &unigram) != 0) {
        return hl_error(HL_BAD_FILE, "%s: %s", path, error.text);
    }
    int k = 0;
    while (k < HL_TOKENS_KINDS && strcmp(hl_tokens_kind_name((hl_tokens_kind)k), kind) != 0) {
        k++;
    }
    if (k == HL_TOKENS_KINDS) {
        return hl_error(HL_BAD_FILE, "%s: unknown kind %s", path, kind);
    }
    if (nfc && k != HL_TOKENS_BPE) {
        return hl_error(HL_BAD_FILE, "%s: rules: nfc is for bpe, and these tokens are %s", path, kind);
    }
    if (!json_is_object(roles) || !json_is_array(special) || !json_is_array(single) || !json_is_array(pair) ||
        !json_is_array(pieces) || !json_is_array(merges) || characters < 1 || characters > HL_WORD_CHARACTERS_MAX) {
        return hl_error(HL_BAD_FILE,
                        "%s: roles, special, single, pair, pieces or merges is no list, or word_characters "
                        "is not from 1 to %d",
                        path, HL_WORD_CHARACTERS_MAX);
    }
    hl_tokens *tokens = *out = hl_tokens_new((hl_tokens_kind)k);
    HL_NEED(tokens != NULL, "tokens");
    tokens->rules = (hl_tokens_rules){ .clean = clean,
                                       .cjk = cjk,
                                       .accents = accents,
                                       .lowercase = lowercase,
                                       .word_characters = characters,
                                       .prefix_space = space,
                                       .unknown_bytes = unknown,
                                       .nfc = nfc };
    HL_TRY(hl_json_pieces(path, pieces, tokens));
    HL_TRY(read_roles(path, roles, tokens));
    HL_TRY(read_added(path, special, true, tokens));
    HL_TRY(read_added(path, others, false, tokens));
    if (others != NULL && (n_model < 1 || n_model > hl_tokens_count(tokens))) {
        return hl_error(HL_BAD_FILE, "%s: model_pieces is not from 1 to %d, the number of pieces", path,
                        hl_tokens_count(tokens));
    }
    tokens->n_model = n_model;
    HL_TRY(tokens->unigram != NULL ? read_unigram(path, unigram, tokens) : hl_ok());
    HL_TRY(read_template(path, single, &tokens->single));
    HL_TRY(read_template(path, pair, &tokens->pair));
    HL_TRY(hl_tokens_index(tokens, path, false));
    HL_TRY(read_merges(path, merges, tokens));
    return hl_tokens_finish(tokens, path);
}

hl_status hl_tokens_load(const char *path, hl_tokens **out)
{
    return hl_tokens_read_json(path, read, NULL, out);
}

hl_status hl_tokens_copy(const hl_tokens *tokens, hl_tokens **out)
{
    hl_text text = { 0 };
    json_t *root = NULL;
    *out = NULL;
    hl_status status = hl_tokens_json(tokens, &text);
    HL_THEN(status, hl_json_parse("tokens", text.bytes, text.size, &root));
    HL_THEN(status, read("tokens", root, NULL, out));
    json_decref(root);
    hl_text_free(&text);
    return hl_tokens_made(status, out);
}
