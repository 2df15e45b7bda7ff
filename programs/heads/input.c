#include "programs/heads/input.h"

#include "core/memory.h"
#include "core/nearest.h"
#include "core/text.h"

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

static hl_status unknown_token(const hl_vocabulary *vocabulary, const char *wrong)
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
        status = hl_error(HL_INVALID, "command line: --input: unknown token \"%.64s\"%s%.64s%s; there are %s", wrong,
                          nearest != NULL ? " (did you mean \"" : "", nearest != NULL ? nearest : "",
                          nearest != NULL ? "\"?)" : "", some.bytes);
    }
    hl_text_free(&some);
    return status;
}

int64_t hl_heads_input_count(const char *text)
{
    int64_t n = 0;
    for (const char *at = text + strspn(text, blanks); *at != '\0'; n++) {
        at += strcspn(at, blanks);
        at += strspn(at, blanks);
    }
    return n;
}

static hl_status make_example(const hl_opened_model *run, const char *text, hl_heads_input *input, hl_examples *example)
{
    int64_t T = hl_heads_input_count(text), most = run->shape.max_length;
    if (T == 0) {
        return hl_error(HL_INVALID, "command line: --input: no tokens in it");
    }
    if (T > most) {
        return hl_error(HL_INVALID, "command line: --input: %lld tokens, and the model takes at most %lld (max_length)",
                        (long long)T, (long long)most);
    }
    int32_t *ids = input->integers = hl_calloc((size_t)(3 * T + 1), sizeof *ids);
    if (ids == NULL) {
        return hl_error_memory("the input");
    }
    *example = (hl_examples){ .n_examples = 1,
                              .n_tokens = T,
                              .tokens = ids,
                              .targets = ids + T,
                              .sources = ids + 2 * T,
                              .lengths = ids + 3 * T };
    for (int64_t i = T; i < 3 * T; i++) {
        ids[i] = HL_IGNORE;
    }
    ids[3 * T] = (int32_t)T;
    for (const char *at = text + strspn(text, blanks); *at != '\0'; at += strspn(at, blanks), ids++) {
        char token[HL_TOKEN_MAX_BYTES + 2];
        size_t length = strcspn(at, blanks);
        snprintf(token, sizeof token, "%.*s", (int)(length < sizeof token ? length : sizeof token), at);
        *ids = hl_vocabulary_find(run->vocabulary, token);
        if (*ids < 0) {
            return unknown_token(run->vocabulary, token);
        }
        if (*ids == HL_PAD) {
            return hl_error(HL_INVALID, "command line: --input: %s is padding, no input", token);
        }
        at += length;
    }
    return hl_ok();
}

hl_status hl_heads_input_run(const hl_opened_model *run, const char *text, hl_heads_input *input)
{
    *input = (hl_heads_input){ 0 };
    hl_examples example;
    hl_status status = make_example(run, text, input, &example);
    HL_THEN(status, hl_model_maps_run(&input->model, run, &example));
    if (status.code != HL_OK) {
        hl_heads_input_free(input);
    }
    return status;
}

void hl_heads_input_free(hl_heads_input *input)
{
    hl_model_maps_free(&input->model);
    hl_free(input->integers);
    *input = (hl_heads_input){ 0 };
}
