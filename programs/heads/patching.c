#define _DEFAULT_SOURCE /* strsep */
#include "programs/heads/patching.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "heads/head_set.h"
#include "heads/patch.h"
#include "show/terminal_cells.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A pair as it is given; texts belong to others. */
typedef struct pair {
    const char *clean, *corrupt, *answer, *wrong; /* the answers may be NULL */
} pair;

/* ---- the inputs ---- */

/* The token in a column of that width. */
static void put_token(const hl_heads_patching *p, const hl_examples *example, int64_t t, hl_text *line)
{
    enum { WIDTH = 24 };
    const hl_terminal terminal = { .width = WIDTH };
    const char *token = t < *example->lengths ? hl_vocabulary_token(p->run->source.vocabulary, example->tokens[t]) : "";
    hl_terminal_space(line, WIDTH - hl_terminal_put(&terminal, token, WIDTH - 1, line));
}

/* Prints both texts, token by token, as they have not the same number of tokens. */
static hl_status refuse_lengths(const hl_heads_patching *p)
{
    int64_t a = *p->clean.example.lengths, b = *p->corrupt.example.lengths;
    hl_text lines = { 0 };
    hl_text_print(&lines, "position  clean                   corrupt\n");
    for (int64_t t = 0; t < (a > b ? a : b); t++) {
        hl_text_print(&lines, "%8" PRId64 "  ", t);
        put_token(p, &p->clean.example, t, &lines);
        put_token(p, &p->corrupt.example, t, &lines);
        hl_text_print(&lines, "\n");
    }
    hl_status status = hl_text_status(&lines);
    if (status.code == HL_OK) {
        fputs(lines.bytes, p->err);
        status = hl_error(HL_INVALID,
                          "command line: the clean text has %" PRId64 " tokens, and the corrupt text %" PRId64
                          " (see above); give texts of equal length",
                          a, b);
    }
    hl_text_free(&lines);
    return status;
}

/* The only mask; of a causal model the last token; of a model that answers for a whole text any. */
static hl_status find_position(const hl_heads_patching *p, int64_t *position)
{
    const hl_model_source *run = &p->run->source;
    const hl_examples *clean = &p->clean.example;
    const unsigned char *kinds = hl_vocabulary_kinds(run->vocabulary);
    int64_t masks = 0;
    *position = p->command->position;
    if (*position >= *clean->lengths) {
        return hl_error(HL_INVALID, "command line: --position: the texts have the positions 0 .. %d",
                        (int)*clean->lengths - 1);
    }
    for (int64_t t = 0; t < *clean->lengths && p->command->position < 0; t++) {
        if ((kinds[clean->tokens[t]] & HL_TOKEN_MASK) != 0) {
            *position = t;
            masks++;
        }
    }
    if (run->shape.pooling != HL_POOLING_ROWS) {
        *position = *position < 0 ? 0 : *position;
    } else if (masks == 0 && run->shape.causal && p->command->position < 0) {
        *position = *clean->lengths - 1;
    } else if (masks != 1 && p->command->position < 0) {
        return hl_error(HL_INVALID,
                        "command line: the clean text has %" PRId64
                        " masks, so it is unclear which answer is meant; give --position",
                        masks);
    }
    return hl_ok();
}

/* ---- the answers ---- */

/* The id of an answer: of that name, or of the only piece that a text is cut into; -1: there is none. */
static int32_t id_of(const hl_model_source *run, const char *name)
{
    int32_t id = hl_vocabulary_find(hl_dataset_targets(run->dataset), name);
    const hl_text_data *text = hl_dataset_text(run->dataset);
    if (id < 0 && text != NULL && hl_dataset_targets(run->dataset) == run->vocabulary) {
        hl_pieces pieces = { 0 };
        hl_status status = hl_tokens_encode(hl_text_data_tokens(text), name, strlen(name), true, &pieces);
        id = status.code == HL_OK && pieces.n == 1 ? pieces.at[0].id : -1;
        hl_pieces_free(&pieces);
    }
    return id;
}

static hl_status find_answer(const hl_heads_patching *p, const char *option, const char *name, int32_t own, int32_t *id)
{
    *id = name != NULL ? id_of(&p->run->source, name) : own;
    return *id >= 0 && *id < p->run->source.shape.targets
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: %s: \"%.64s\" is not one token that the model can answer with",
                          option, name);
}

static hl_status set_answers(hl_heads_patching *p, const pair *texts, hl_patch *patch)
{
    HL_TRY(find_answer(p, "--answer", texts->answer, hl_patch_answer(patch, &patch->clean), &p->right));
    HL_TRY(find_answer(p, "--wrong", texts->wrong, hl_patch_answer(patch, &patch->corrupt), &p->wrong));
    if (p->right == p->wrong) {
        return hl_error(HL_INVALID,
                        "command line: the right and the wrong answer are both \"%.64s\"; give --answer and --wrong",
                        hl_vocabulary_token(hl_dataset_targets(p->run->source.dataset), p->right));
    }
    hl_patch_answers(patch, p->right, p->wrong);
    p->d_clean = patch->d_clean;
    p->d_corrupt = patch->d_corrupt;
    return hl_ok();
}

/* ---- a pair ---- */

static hl_status measure_row(const hl_heads_patching *p, hl_patch *patch, hl_patched *row, bool *set, int64_t number)
{
    const hl_model_config *shape = &p->run->source.shape;
    int64_t n = hl_heads_count(shape);
    hl_patch_change change = { .heads = set, .layer = row->layer, .at = p->command->at };
    change.kind = row->kind == HL_PATCHED_FEED_FORWARD ? HL_PATCH_FEED_FORWARD : HL_PATCH_HEADS;
    for (int64_t h = 0; h < n && row->kind != HL_PATCHED_SET; h++) {
        hl_head_place at = hl_head_at(shape, h);
        set[h] = at.layer == row->layer && (row->kind == HL_PATCHED_ATTENTION || at.head == row->head);
    }
    hl_status status = row->kind == HL_PATCHED_SET ? hl_head_set_parse(shape, p->command->heads, set) : hl_ok();
    return status.code == HL_INVALID ? hl_error(HL_INVALID, "command line: --heads: %s", status.text)
           : status.code != HL_OK    ? status
                                     : hl_patch_measure(patch, change, &row->effects[number]);
}

static hl_status measure_residual(hl_heads_patching *p, hl_patch *patch)
{
    int64_t T = patch->n_tokens;
    int L = p->run->source.shape.n_layers;
    p->residual = hl_calloc((size_t)(L * T), sizeof *p->residual);
    HL_NEED(p->residual != NULL, "the residual stream");
    for (int l = 0; l < L; l++) {
        for (int64_t t = 0; t < T; t++) {
            double effect;
            hl_patch_change change = { .kind = HL_PATCH_RESIDUAL, .layer = l, .at = t };
            HL_TRY(hl_patch_measure(patch, change, &effect));
            p->residual[l * T + t] = (hl_real)effect;
        }
    }
    return hl_ok();
}

static hl_status tell(const hl_heads_patching *p, int64_t done)
{
    const hl_opened_model *run = p->run;
    return run->progress != NULL ? run->progress(run->context, "patching", done, p->n_pairs * p->n_rows) : hl_ok();
}

static hl_status measure_rows(hl_heads_patching *p, const pair *texts, hl_patch *patch, int64_t number)
{
    bool *set = hl_calloc((size_t)hl_heads_count(&p->run->source.shape), sizeof *set);
    HL_NEED(set != NULL, "heads");
    patch->reverse = p->command->reverse;
    hl_status status = set_answers(p, texts, patch);
    for (int64_t i = 0; i < p->n_rows && status.code == HL_OK; i++) {
        status = measure_row(p, patch, &p->rows[i], set, number);
        HL_THEN(status, tell(p, number * p->n_rows + i + 1));
    }
    hl_free(set);
    return status;
}

static hl_status measure_pair(hl_heads_patching *p, const pair *texts, int64_t number)
{
    const hl_model_source *run = &p->run->source;
    hl_heads_input_free(&p->clean);
    hl_heads_input_free(&p->corrupt);
    HL_TRY(hl_heads_input_read(run, "clean", texts->clean, &p->clean));
    HL_TRY(hl_heads_input_read(run, "corrupt", texts->corrupt, &p->corrupt));
    if (*p->clean.example.lengths != *p->corrupt.example.lengths) {
        return refuse_lengths(p);
    }
    if (p->command->at >= *p->clean.example.lengths) {
        return hl_error(HL_INVALID, "command line: --at: the texts have the positions 0 .. %d",
                        (int)*p->clean.example.lengths - 1);
    }
    HL_TRY(find_position(p, &p->position));
    hl_patch patch;
    hl_status status =
        hl_patch_begin(&patch, &p->run->model, &p->clean.example, &p->corrupt.example, p->position, run->threads);
    HL_THEN(status, measure_rows(p, texts, &patch, number));
    if (p->command->pairs == NULL && p->command->heads == NULL) {
        HL_THEN(status, measure_residual(p, &patch));
    }
    hl_patch_free(&patch);
    return status;
}

/* ---- a file of pairs ---- */

/* Cuts a line at its tabs; false if it has fewer than two fields, or more than four. */
static bool cut_line(char *line, pair *texts)
{
    char *fields[4] = { NULL };
    int n = 0;
    for (char *field; (field = strsep(&line, "\t")) != NULL; n++) {
        if (n < 4) {
            fields[n] = n < 2 || *field != '\0' ? field : NULL;
        }
    }
    *texts = (pair){ .clean = fields[0], .corrupt = fields[1], .answer = fields[2], .wrong = fields[3] };
    return n >= 2 && n <= 4;
}

static int64_t count_lines(const char *text)
{
    int64_t n = 0;
    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
        n += *text != '\n';
    }
    return n;
}

static hl_status measure_line(hl_heads_patching *p, char *line, int64_t number, int64_t row)
{
    pair texts;
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\r') {
        line[length - 1] = '\0';
    }
    hl_status status = cut_line(line, &texts)
                           ? measure_pair(p, &texts, row)
                           : hl_error(HL_INVALID, "a line needs clean text, corrupt text, answer and wrong answer, "
                                                  "with tabs between them; the answers may be left out");
    return status.code == HL_INVALID
               ? hl_error(HL_INVALID, "%s:%" PRId64 ": %s", p->command->pairs, number, status.text)
               : status;
}

static hl_status measure_lines(hl_heads_patching *p, char *text)
{
    int64_t number = 1, row = 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL; number++) {
        if (*line != '\0') {
            HL_TRY(measure_line(p, line, number, row++));
        }
    }
    return hl_ok();
}

/* ---- all of it ---- */

static void add_row(hl_heads_patching *p, hl_patched_kind kind, int layer, int64_t head)
{
    double *effects = p->effects + p->n_rows * p->n_pairs;
    p->rows[p->n_rows++] = (hl_patched){ .kind = kind, .layer = layer, .head = head, .effects = effects };
}

static hl_status make_rows(hl_heads_patching *p)
{
    const hl_model_config *shape = &p->run->source.shape;
    int64_t most = p->command->heads != NULL ? 1 : hl_heads_count(shape) + (int64_t)2 * shape->n_layers;
    p->rows = hl_calloc((size_t)most, sizeof *p->rows);
    p->effects = hl_calloc((size_t)(most * p->n_pairs), sizeof *p->effects);
    HL_NEED(p->rows != NULL && p->effects != NULL, "what is patched");
    if (p->command->heads != NULL) {
        add_row(p, HL_PATCHED_SET, -1, -1);
        return hl_ok();
    }
    for (int l = 0; l < shape->n_layers; l++) {
        for (int64_t h = 0; h < shape->heads[l]; h++) {
            add_row(p, HL_PATCHED_HEAD, l, h);
        }
        add_row(p, HL_PATCHED_ATTENTION, l, -1);
        if (shape->feed_forward != HL_FEED_FORWARD_NONE) {
            add_row(p, HL_PATCHED_FEED_FORWARD, l, -1);
        }
    }
    return hl_ok();
}

/* Means over the pairs that count; their effects are moved to the front. */
static void average(hl_heads_patching *p)
{
    for (int64_t i = 0; i < p->n_rows; i++) {
        hl_patched *row = &p->rows[i];
        p->n_used = 0;
        for (int64_t k = 0; k < p->n_pairs; k++) {
            if (!isnan(row->effects[k])) {
                row->effects[p->n_used++] = row->effects[k];
            }
        }
        row->estimate = p->n_used > 0 ? hl_estimate_of(row->effects, 1, p->n_used) : (hl_estimate){ NAN, NAN };
    }
}

static hl_status measure_file(hl_heads_patching *p)
{
    char *text;
    size_t size;
    HL_TRY(hl_file_read(p->command->pairs, (size_t)1 << 30, &text, &size));
    p->n_pairs = count_lines(text);
    hl_status status =
        p->n_pairs > 0 ? make_rows(p) : hl_error(HL_INVALID, "%s: no pair of texts in it", p->command->pairs);
    HL_THEN(status, measure_lines(p, text));
    hl_free(text);
    return status;
}

static hl_status measure_only(hl_heads_patching *p)
{
    const hl_heads_command *c = p->command;
    pair only = { c->clean, c->corrupt, c->answer, c->wrong };
    p->n_pairs = 1;
    HL_TRY(make_rows(p));
    return measure_pair(p, &only, 0);
}

hl_status hl_heads_patching_measure(hl_heads_patching *patching, const hl_opened_model *run,
                                    const hl_heads_command *command, FILE *err)
{
    *patching = (hl_heads_patching){ .run = run, .command = command, .err = err };
    HL_TRY(command->pairs != NULL ? measure_file(patching) : measure_only(patching));
    average(patching);
    return hl_ok();
}

void hl_heads_patching_free(hl_heads_patching *patching)
{
    hl_heads_input_free(&patching->clean);
    hl_heads_input_free(&patching->corrupt);
    hl_free(patching->effects);
    hl_free(patching->rows);
    hl_free(patching->residual);
    *patching = (hl_heads_patching){ 0 };
}
