#include "programs/heads/input.h"

#include "core/base/memory.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "train/setup_data.h"

#include <stdio.h>
#include <string.h>

static const char blanks[] = " \t\n\r\v\f";

/* The token that may be meant, or NULL: there is none, or no memory to look for it. */
static const char *nearest_token(const hl_vocabulary *vocabulary, const char *wrong)
{
    int64_t V = hl_vocabulary_size(vocabulary);
    const char **names = hl_calloc((size_t)V, sizeof *names);
    if (names == NULL) {
        return NULL;
    }
    for (int32_t id = 0; id < V; id++) {
        names[id] = hl_vocabulary_token(vocabulary, id);
    }
    int nearest = hl_nearest_name(wrong, names, (int)V);
    const char *token = nearest >= 0 ? names[nearest] : NULL;
    hl_free(names);
    return token;
}

static hl_status unknown_token(const hl_vocabulary *vocabulary, const char *option, const char *wrong)
{
    enum { SOME = 8 };
    int64_t V = hl_vocabulary_size(vocabulary), last = V < HL_SPECIAL_TOKENS + SOME ? V : HL_SPECIAL_TOKENS + SOME;
    hl_text some = { 0 };
    for (int32_t id = HL_SEPARATOR; id < last; id++) {
        hl_text_print(&some, "%s%.24s", id > HL_SEPARATOR ? ", " : "", hl_vocabulary_token(vocabulary, id));
    }
    hl_text_print(&some, "%s", last < V ? ", ..." : "");
    hl_status status = hl_text_status(&some);
    if (status.code == HL_OK) {
        const char *nearest = nearest_token(vocabulary, wrong);
        status = hl_error(HL_INVALID, "command line: --%s: unknown token \"%.64s\"%s%.64s%s; there are %s", option,
                          wrong, nearest != NULL ? " (did you mean \"" : "", nearest != NULL ? nearest : "",
                          nearest != NULL ? "\"?)" : "", some.bytes);
    }
    hl_text_free(&some);
    return status;
}

static int64_t count_words(const char *text)
{
    int64_t n = 0;
    for (const char *at = text + strspn(text, blanks); *at != '\0'; n++) {
        at += strcspn(at, blanks);
        at += strspn(at, blanks);
    }
    return n;
}

/* Whether the model reads text, of which the run has tokens that cut it. */
static const hl_text_data *text_of(const hl_model_source *run)
{
    const hl_text_data *text = hl_dataset_text(run->dataset);
    return text != NULL && hl_config_text_spec(&run->config).task != HL_TEXT_FILE ? text : NULL;
}

int64_t hl_heads_input_most(const hl_model_source *run, const char *text)
{
    enum { AROUND = 16 }; /* special tokens, at most */
    int64_t most = (int64_t)strlen(text) + AROUND;
    return text_of(run) == NULL ? count_words(text) : most < run->shape.max_length ? most : run->shape.max_length;
}

static hl_status check_count(const char *option, int64_t T, int64_t most)
{
    if (T == 0) {
        return hl_error(HL_INVALID, "command line: --%s: no tokens in it", option);
    }
    return T <= most
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --%s: %lld tokens, and the model takes at most %lld (max_length)",
                          option, (long long)T, (long long)most);
}

/* An example of T tokens without targets and sources; of a text it also has words, their forms and types. */
static hl_status allocate(const hl_model_source *run, int64_t T, bool text, hl_heads_input *input)
{
    int32_t *ids = input->integers = hl_calloc((size_t)(6 * T + 1), sizeof *ids);
    HL_NEED(ids != NULL, "the input");
    input->example = (hl_examples){ .n_examples = 1,
                                    .n_tokens = T,
                                    .tokens = ids,
                                    .targets = ids + T,
                                    .sources = ids + 2 * T,
                                    .words = text ? ids + 3 * T : NULL,
                                    .types = text && run->config.sizes.types > 0 ? ids + 5 * T : NULL,
                                    .lengths = ids + 6 * T,
                                    .kinds = hl_vocabulary_kinds(run->vocabulary) };
    for (int64_t i = 0; i < T; i++) {
        input->example.targets[i] = input->example.sources[i] = HL_IGNORE;
    }
    *input->example.lengths = (int32_t)T;
    return hl_ok();
}

/* ---- text ---- */

/* A sentence's words, and in `rows` the piece that each begins with. */
static hl_status encode_words(const hl_tokens *tokens, const char *text, int32_t *rows, hl_pieces *pieces)
{
    int64_t n = 0;
    for (const char *at = text + strspn(text, blanks); *at != '\0'; at += strspn(at, blanks), n++) {
        size_t size = strcspn(at, blanks);
        rows[n] = (int32_t)pieces->n;
        HL_TRY(hl_tokens_encode_word(tokens, at, size, n == 0, pieces));
        at += size;
    }
    return hl_ok();
}

/* Two texts with a tab between. */
static hl_status encode_pair(const hl_tokens *tokens, const char *option, const char *text, size_t *n_first,
                             hl_pieces *pieces)
{
    const char *tab = strchr(text, '\t');
    if (tab == NULL || strchr(tab + 1, '\t') != NULL) {
        return hl_error(HL_INVALID, "command line: --%s: the model reads pairs: give two texts with one tab between",
                        option);
    }
    HL_TRY(hl_tokens_encode(tokens, text, (size_t)(tab - text), true, pieces));
    *n_first = pieces->n;
    return hl_tokens_encode(tokens, tab + 1, strlen(tab + 1), true, pieces);
}

static hl_status encode(const hl_model_source *run, const char *option, const char *text, int32_t *rows,
                        int64_t *n_rows, hl_pieces *pieces)
{
    const hl_text_spec spec = hl_config_text_spec(&run->config);
    const hl_tokens *tokens = hl_text_data_tokens(text_of(run));
    bool tags = spec.task == HL_TEXT_TAGS, tab = run->open != NULL && !tags && strchr(text, '\t') != NULL;
    bool pair = tab || hl_text_spec_is_pair(&spec);
    size_t n_first = 0;
    HL_TRY(tags   ? encode_words(tokens, text, rows, pieces)
           : pair ? encode_pair(tokens, option, text, &n_first, pieces)
                  : hl_tokens_encode(tokens, text, strlen(text), true, pieces));
    bool wraps = !hl_text_spec_is_running(&spec) && pieces->n > 0;
    HL_TRY(wraps ? hl_tokens_wrap(tokens, pair ? n_first : pieces->n, pieces) : hl_ok());
    *n_rows = tags ? count_words(text) : 0;
    int32_t before = 0; /* special tokens that were put there are no bytes of the text */
    while (wraps && (size_t)before < pieces->n && pieces->at[before].end == 0) {
        before++;
    }
    for (int64_t i = 0; i < *n_rows; i++) {
        rows[i] += before;
    }
    return check_count(option, (int64_t)pieces->n, run->shape.max_length);
}

static hl_status make_text(const hl_model_source *run, const char *option, const char *text, hl_heads_input *input)
{
    hl_pieces pieces = { 0 };
    int64_t n_rows = 0, most = count_words(text) + 1;
    int32_t *rows = hl_calloc((size_t)most, sizeof *rows);
    hl_status status = rows != NULL ? encode(run, option, text, rows, &n_rows, &pieces) : hl_error_memory("the input");
    int64_t T = (int64_t)pieces.n;
    HL_THEN(status, allocate(run, T, true, input));
    if (status.code == HL_OK) {
        int32_t *ids = input->integers;
        for (int64_t i = 0; i < T; i++) {
            ids[i] = pieces.at[i].id;
            ids[5 * T + i] = pieces.at[i].type;
        }
        hl_text_example read = { .n_tokens = T, .tokens = ids, .rows = rows, .n_targets = n_rows };
        hl_text_data_find_words(text_of(run), &read, ids + 4 * T);
        hl_word_forms_number(input->example.kinds, &read, input->example.words);
    }
    hl_free(rows);
    hl_pieces_free(&pieces);
    return status;
}

/* ---- tokens ---- */

static hl_status make_example(const hl_model_source *run, const char *option, const char *text, hl_heads_input *input)
{
    int64_t T = count_words(text);
    HL_TRY(check_count(option, T, run->shape.max_length));
    HL_TRY(allocate(run, T, false, input));
    int32_t *ids = input->integers;
    for (const char *at = text + strspn(text, blanks); *at != '\0'; at += strspn(at, blanks), ids++) {
        char token[HL_TOKEN_MAX_BYTES + 2];
        size_t length = strcspn(at, blanks);
        snprintf(token, sizeof token, "%.*s", (int)(length < sizeof token ? length : sizeof token), at);
        *ids = hl_vocabulary_find(run->vocabulary, token);
        if (*ids < 0) {
            return unknown_token(run->vocabulary, option, token);
        }
        if (*ids == HL_PAD) {
            return hl_error(HL_INVALID, "command line: --%s: %s is padding and cannot be an input", option, token);
        }
        at += length;
    }
    return hl_ok();
}

hl_status hl_heads_input_read(const hl_model_source *run, const char *option, const char *text, hl_heads_input *input)
{
    *input = (hl_heads_input){ 0 };
    hl_status status =
        text_of(run) != NULL ? make_text(run, option, text, input) : make_example(run, option, text, input);
    if (status.code != HL_OK) {
        hl_heads_input_free(input);
    }
    return status;
}

hl_status hl_heads_input_run(const hl_opened_model *run, const char *text, hl_heads_input *input)
{
    const hl_text_data *data = text_of(&run->source);
    HL_TRY(hl_heads_input_read(&run->source, "input", text, input));
    hl_status status = hl_model_maps_run(run, &input->example, &input->maps);
    if (status.code == HL_OK && data != NULL) {
        status = hl_snapshot_find_words(&input->maps, input->example.kinds, hl_text_data_tokens(data), NULL, NULL);
    }
    if (status.code != HL_OK) {
        hl_heads_input_free(input);
    }
    return status;
}

void hl_heads_input_free(hl_heads_input *input)
{
    hl_snapshot_free(&input->maps);
    hl_free(input->integers);
    *input = (hl_heads_input){ 0 };
}
