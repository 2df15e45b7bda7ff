#include "train/syntax_csv.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "core/files/json_text.h"
#include "data/batch_storage.h"
#include "heads/head_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "step,relation,layer,head,direction,half,hits,cases\n";
enum { HEADER = sizeof header - 1, MOST_BYTES = 1 << 30 };

/* ---- what is followed ---- */

void hl_followed_free(hl_followed *followed)
{
    hl_treebank_free(followed->treebank);
    hl_coreference_text_free(&followed->mentions);
    *followed = (hl_followed){ 0 };
}

static int64_t relations_of(const hl_followed *followed)
{
    return followed->treebank->n_relations + (followed->mentions.windows != NULL ? HL_COREFERENCE_FOLLOWED : 0);
}

hl_status hl_followed_counts(const hl_followed *followed, int64_t n_heads, hl_syntax *counts,
                             hl_coreference_counts *mentions)
{
    *mentions = (hl_coreference_counts){ 0 };
    HL_TRY(hl_syntax_init(counts, relations_of(followed), n_heads));
    hl_syntax_add_treebank(counts, followed->treebank);
    if (followed->mentions.windows == NULL) {
        return hl_ok();
    }
    hl_status status = hl_coreference_init(mentions, &followed->mentions, n_heads);
    if (status.code != HL_OK) {
        hl_syntax_free(counts);
        return status;
    }
    hl_coreference_put(mentions, counts, followed->treebank->n_relations);
    return hl_ok();
}

const char *hl_followed_name(const hl_followed *followed, int64_t relation)
{
    static const char *const names[HL_COREFERENCE_FOLLOWED] = { "coreference", "coreference:pronoun",
                                                                "coreference:name", "coreference:other" };
    int64_t R = followed->treebank->n_relations;
    return relation < R ? hl_treebank_relation(followed->treebank, relation) : names[relation - R];
}

/* ---- the rows of a step ---- */

/* One row: its count, and its fields between step and hits. */
typedef struct row {
    int64_t *hits, cases;
    hl_text place; /* such as "nsubj,0,3,d>h,1," */
} row;

/* Visits the rows of a step in order, until a visitor ends the visit. */
static hl_status visit_rows(hl_syntax *counts, const hl_followed *followed, const hl_model_config *shape,
                            hl_status (*visit)(void *context, const row *row), void *context)
{
    hl_status status = hl_ok();
    row r = { 0 };
    for (int64_t relation = 0; relation < counts->n_relations; relation++) {
        r.place.size = 0;
        hl_csv_field(&r.place, hl_followed_name(followed, relation));
        size_t name = r.place.size;
        int64_t head = 0;
        for (int l = 0; l < shape->n_layers; l++) {
            for (int64_t h = 0; h < shape->heads[l]; h++, head++) {
                for (int i = 0; i < 4 && status.code == HL_OK; i++) {
                    const hl_syntax_half *half = &counts->halves[i % 2];
                    r.place.size = name;
                    hl_text_print(&r.place, ",%d,%" PRId64 ",%s,%d,", l, h,
                                  hl_syntax_direction_name((hl_syntax_direction)(i / 2)), i % 2);
                    r.hits = &half->hits[(relation * counts->n_heads + head) * 2 + i / 2];
                    r.cases = half->cases[relation];
                    status = hl_text_status(&r.place);
                    HL_THEN(status, visit(context, &r));
                }
            }
        }
    }
    hl_text_free(&r.place);
    return status;
}

/* ---- writing ---- */

hl_status hl_syntax_csv_init(hl_syntax_csv *csv, const hl_model *model, const hl_followed *followed, int64_t rows,
                             int threads)
{
    *csv = (hl_syntax_csv){ .followed = followed, .shape = &model->config, .fd = -1 };
    HL_TRY(hl_followed_counts(followed, hl_heads_count(&model->config), &csv->counts, &csv->mentions));
    HL_TRY(hl_treebank_pass_init(&csv->pass, model, followed->treebank, rows, threads));
    return followed->mentions.windows != NULL
               ? hl_treebank_pass_init(&csv->windows, model, followed->mentions.windows, rows, threads)
               : hl_ok();
}

size_t hl_syntax_csv_arena(const hl_syntax_csv *csv)
{
    size_t sentences = csv->pass.plan.bytes, windows = csv->windows.plan.bytes;
    return sentences > windows ? sentences : windows;
}

/* Reads a count, and the byte that must end it. */
static bool take_count(const char **at, char end, int64_t *count)
{
    char *after;
    errno = 0;
    *count = strtoll(*at, &after, 10);
    bool good = **at >= '0' && **at <= '9' && *after == end && errno == 0;
    *at = after + 1;
    return good;
}

/* The line after this one, and the step that this one begins with, negative: with none. NULL: it has no end. */
static const char *next_line(const char *line, int64_t *step)
{
    const char *newline = strchr(line, '\n');
    if (!take_count(&line, ',', step)) {
        *step = -1;
    }
    return newline != NULL ? newline + 1 : NULL;
}

/* Of how many relations the text of a file has rows: all, or only the treebank's own if a step has no more rows. */
static int64_t relations_in(const char *text, size_t size, const hl_syntax *counts)
{
    const char *line = text + (size < HEADER ? size : HEADER), *next;
    int64_t first = -1, step, rows = 0;
    for (; (next = next_line(line, &step)) != NULL && step >= 0 && (rows == 0 || step == first); line = next, rows++) {
        first = step;
    }
    return rows == 4 * counts->n_heads * counts->n_own ? counts->n_own : counts->n_relations;
}

hl_status hl_syntax_csv_find_relations(const char *path, hl_syntax *counts)
{
    char *text;
    size_t size;
    HL_TRY(hl_file_read_if_there(path, MOST_BYTES, &text, &size));
    if (text != NULL) {
        counts->n_relations = relations_in(text, size, counts);
    }
    hl_free(text);
    return hl_ok();
}

hl_status hl_syntax_csv_open(hl_syntax_csv *csv, const char *path)
{
    bool exists;
    csv->path = path;
    HL_TRY(hl_file_exists(path, &exists));
    HL_TRY(exists ? hl_syntax_csv_find_relations(path, &csv->counts)
                  : hl_file_replace(path, header, HEADER, HL_VOLATILE));
    HL_TRY(hl_file_open(path, O_WRONLY | O_APPEND, &csv->fd));
    bool empty = hl_file_calls_get()->lseek(csv->fd, 0, SEEK_END) == 0; /* a power failure may leave it empty */
    return empty ? hl_file_write_bytes(csv->fd, path, header, HEADER) : hl_ok();
}

typedef struct printing {
    hl_text *text;
    int64_t step;
} printing;

static hl_status print_row(void *context, const row *r)
{
    const printing *p = context;
    hl_text_print(p->text, "%" PRId64 ",%s%" PRId64 ",%" PRId64 "\n", p->step, r->place.bytes, *r->hits, r->cases);
    return hl_text_status(p->text);
}

hl_status hl_syntax_csv_append(hl_syntax_csv *csv, int64_t step, hl_arena *arena)
{
    bool mentions = csv->counts.n_relations > csv->followed->treebank->n_relations;
    hl_syntax_clear(&csv->counts);
    HL_TRY(hl_treebank_pass_run(&csv->pass, arena,
                                &(hl_treebank_taker){ .layer = hl_syntax_add_layer, .context = &csv->counts }));
    if (mentions) {
        hl_coreference_clear(&csv->mentions);
        HL_TRY(
            hl_treebank_pass_run(&csv->windows, arena,
                                 &(hl_treebank_taker){ .layer = hl_coreference_add_layer, .context = &csv->mentions }));
        hl_coreference_put(&csv->mentions, &csv->counts, csv->followed->treebank->n_relations);
    }
    csv->text.size = 0;
    HL_TRY(visit_rows(&csv->counts, csv->followed, csv->shape, print_row, &(printing){ &csv->text, step }));
    return hl_file_write_bytes(csv->fd, csv->path, csv->text.bytes, csv->text.size);
}

hl_status hl_syntax_csv_sync(hl_syntax_csv *csv)
{
    return hl_file_sync(csv->fd, csv->path);
}

void hl_syntax_csv_free(hl_syntax_csv *csv)
{
    if (csv->path != NULL && csv->fd >= 0) {
        hl_file_calls_get()->close(csv->fd);
    }
    hl_treebank_pass_free(&csv->pass);
    hl_treebank_pass_free(&csv->windows);
    hl_syntax_free(&csv->counts);
    hl_coreference_free(&csv->mentions);
    hl_text_free(&csv->text);
    *csv = (hl_syntax_csv){ .fd = -1 };
}

static size_t pass_bytes(const hl_treebank *treebank, const hl_model_config *shape, int64_t rows)
{
    int64_t S = treebank->n_sentences, W = treebank->most_words, pieces = 0, squares = 0;
    for (int64_t s = 0; s < S; s++) {
        hl_treebank_sentence sentence = hl_treebank_at(treebank, s);
        pieces += sentence.n_pieces;
        squares += sentence.n_words * sentence.n_words;
    }
    int64_t most = W * (rows > shape->max_length ? rows : shape->max_length); /* squares of a slice */
    size_t pass = hl_size_sum(hl_batch_storage_bytes(S, pieces), (size_t)pieces * sizeof(int32_t));
    pass = hl_size_sum(pass, (size_t)S * sizeof(size_t));
    pass = hl_size_sum(pass, hl_size_product((size_t)hl_heads_most(shape),
                                             (size_t)(squares < most ? squares : most) * sizeof(hl_real)));
    return pass;
}

size_t hl_syntax_csv_bytes(const hl_followed *followed, const hl_model_config *shape, int64_t rows)
{
    int64_t heads = hl_heads_count(shape);
    size_t bytes = hl_size_sum(hl_treebank_bytes(followed->treebank), hl_syntax_bytes(relations_of(followed), heads));
    bytes = hl_size_sum(bytes, pass_bytes(followed->treebank, shape, rows));
    if (followed->mentions.windows != NULL) {
        bytes = hl_size_sum(bytes, hl_coreference_bytes(&followed->mentions));
        bytes = hl_size_sum(bytes, hl_coreference_counts_bytes(&followed->mentions, heads));
        bytes = hl_size_sum(bytes, pass_bytes(followed->mentions.windows, shape, rows));
    }
    return bytes;
}

/* ---- reading ---- */

static hl_status bad_line(const char *path, int64_t line)
{
    return hl_error(HL_BAD_FILE, "%s:%" PRId64 ": %s; remove the file; its counts of earlier steps are then lost", path,
                    line, line == 1 ? "not the header of a syntax.csv" : "not a row of this run's syntax.csv");
}

/* Finds where the rows of steps after `step` begin, or a last line without its end. */
static hl_status find_end(const char *path, const char *text, int64_t step, size_t *size)
{
    const char *line = text + HEADER, *next;
    if (strncmp(text, header, HEADER) != 0) {
        return bad_line(path, 1);
    }
    int64_t found;
    for (int64_t n = 2; (next = next_line(line, &found)) != NULL && found <= step; line = next, n++) {
        if (found < 0) {
            return bad_line(path, n);
        }
    }
    *size = (size_t)(line - text);
    return hl_ok();
}

hl_status hl_syntax_csv_drop_after(const char *path, int64_t step)
{
    char *text;
    size_t size, kept = 0;
    HL_TRY(hl_file_read_if_there(path, MOST_BYTES, &text, &size));
    if (text == NULL) {
        return hl_ok();
    }
    hl_status status = size > 0 ? find_end(path, text, step, &kept) : hl_ok(); /* empty: a power failure left it */
    if (status.code == HL_OK && kept < HEADER) {
        status = hl_file_remove(path);
    } else if (status.code == HL_OK && kept < size) {
        status = hl_file_replace(path, text, kept, HL_DURABLE);
    }
    hl_free(text);
    return status;
}

typedef struct reading {
    const char *path, *at, *end;
    int64_t line, step; /* step: of the current rows; negative before the first of them */
    bool over;          /* the file ends before the row does */
} reading;

static hl_status read_row(void *context, const row *r)
{
    reading *in = context;
    const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
    in->over = in->over || newline == NULL;
    if (in->over) {
        return hl_ok();
    }
    int64_t step, cases;
    const char *at = in->at;
    bool good = take_count(&at, ',', &step) && (in->step < 0 || step == in->step) && at <= newline &&
                strncmp(at, r->place.bytes, r->place.size) == 0;
    at += good ? r->place.size : 0;
    good = good && take_count(&at, ',', r->hits) && take_count(&at, '\n', &cases) && at == newline + 1 &&
           cases == r->cases && *r->hits <= cases;
    in->step = step;
    in->at = newline + 1;
    in->line++;
    return good ? hl_ok() : bad_line(in->path, in->line - 1);
}

static hl_status read_steps(reading *in, const hl_followed *followed, const hl_model_config *shape, hl_syntax *counts,
                            hl_status (*take)(void *context, int64_t step), void *context)
{
    int64_t before = -1;
    while (in->at < in->end && !in->over) {
        in->step = -1;
        HL_TRY(visit_rows(counts, followed, shape, read_row, in));
        if (in->step <= before && !in->over) {
            return bad_line(in->path, in->line - 1);
        }
        before = in->step;
        HL_TRY(in->over ? hl_ok() : take(context, in->step));
    }
    return hl_ok();
}

hl_status hl_syntax_csv_read(const char *path, const hl_followed *followed, const hl_model_config *shape,
                             hl_syntax *counts, hl_status (*take)(void *context, int64_t step), void *context)
{
    char *text;
    size_t size;
    HL_TRY(hl_file_read_if_there(path, MOST_BYTES, &text, &size));
    if (text == NULL || size == 0) {
        hl_free(text);
        return hl_ok();
    }
    reading in = { .path = path, .at = text + HEADER, .end = text + size, .line = 2 };
    hl_status status = strncmp(text, header, HEADER) == 0 ? read_steps(&in, followed, shape, counts, take, context)
                                                          : bad_line(path, 1);
    hl_free(text);
    return status;
}
