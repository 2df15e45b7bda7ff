#include "heads/patch.h"
#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/answers.h"
#include "programs/heads/deliver.h"
#include "programs/heads/patching.h"
#include "programs/heads/verb.h"
#include "programs/results.h"
#include "show/table.h"
#include "show/terminal_map.h"
#include "train/terminal.h"

#include <inttypes.h>
#include <math.h>

enum { SHOWN = 10 /* rows of the table */, NAME = 32 };

static void name_of(const hl_heads_patching *p, const hl_patched *row, char name[NAME])
{
    if (row->kind == HL_PATCHED_SET) {
        snprintf(name, NAME, "%.31s", p->command->heads);
    } else if (row->kind == HL_PATCHED_HEAD) {
        snprintf(name, NAME, "L%dH%" PRId64, row->layer, row->head);
    } else {
        snprintf(name, NAME, "L%d %s", row->layer, row->kind == HL_PATCHED_ATTENTION ? "attention" : "feed-forward");
    }
}

static const char *answer_of(const hl_heads_patching *p, int32_t id)
{
    return hl_vocabulary_token(hl_dataset_targets(p->run->source.dataset), id);
}

/* ---- maps: layers down; heads, attention and feed-forward, or tokens, across ---- */

typedef struct maps {
    hl_panel panels[2];
    int64_t n;
    hl_real *parts;      /* (L, C) */
    char (*texts)[NAME]; /* (L + C): of the layers, then of the columns */
    const char **names;  /* (L + C + T): the same, then the tokens */
} maps;

static void maps_free(maps *m)
{
    hl_free(m->parts);
    hl_free(m->texts);
    hl_free(m->names);
}

/* Must be freed on failure too. */
static hl_status maps_make(maps *m, const hl_heads_patching *p)
{
    const hl_model_config *shape = &p->run->source.shape;
    int64_t L = shape->n_layers, H = hl_heads_most(shape),
            C = H + (shape->feed_forward != HL_FEED_FORWARD_NONE ? 2 : 1);
    int64_t T = p->residual != NULL ? *p->corrupt.example.lengths : 0;
    bool reverse = p->command->reverse;
    *m = (maps){ .n = p->residual != NULL ? 2 : 1 };
    m->parts = hl_calloc((size_t)(L * C), sizeof *m->parts);
    m->texts = hl_calloc((size_t)(L + C), sizeof *m->texts);
    m->names = hl_calloc((size_t)(L + C + T), sizeof *m->names);
    HL_NEED(m->parts != NULL && m->texts != NULL && m->names != NULL, "maps of what is patched");
    for (int64_t i = 0; i < L + C; i++) {
        int64_t c = i - L;
        if (c < H) {
            snprintf(m->texts[i], NAME, c < 0 ? "L%" PRId64 : "H%" PRId64, c < 0 ? i : c);
        } else {
            snprintf(m->texts[i], NAME, "%s", c == H ? "attention" : "feed-forward");
        }
        m->names[i] = m->texts[i];
    }
    for (int64_t t = 0; t < T; t++) {
        m->names[L + C + t] = hl_vocabulary_token(p->run->source.vocabulary, p->corrupt.example.tokens[t]);
    }
    for (int64_t i = 0; i < p->n_rows; i++) {
        const hl_patched *row = &p->rows[i];
        int64_t column = row->kind == HL_PATCHED_HEAD ? row->head : row->kind == HL_PATCHED_ATTENTION ? H : H + 1;
        m->parts[row->layer * C + column] = isfinite(row->estimate.mean) ? (hl_real)row->estimate.mean : 0;
    }
    m->panels[0] = (hl_panel){ .title = reverse ? "lost by each part" : "recovered by each part",
                               .weights = m->parts,
                               .n_queries = L,
                               .n_keys = C,
                               .stride = C,
                               .queries = m->names,
                               .keys = m->names + L };
    m->panels[1] = (hl_panel){ .title = reverse ? "lost by the residual stream" : "recovered by the residual stream",
                               .weights = p->residual,
                               .n_queries = L,
                               .n_keys = T,
                               .stride = T,
                               .queries = m->names,
                               .keys = m->names + L + C };
    return hl_ok();
}

/* ---- for a person ---- */

/* The k-th largest effect's row. */
static const hl_patched *ranked(const hl_heads_patching *p, int64_t k)
{
    for (int64_t i = 0; i < p->n_rows; i++) {
        int64_t above = 0;
        for (int64_t j = 0; j < p->n_rows; j++) {
            double mine = p->rows[i].estimate.mean, its = p->rows[j].estimate.mean;
            above += its > mine || (!(its < mine) && j < i);
        }
        if (above == k) {
            return &p->rows[i];
        }
    }
    return &p->rows[0];
}

static void shown_row(const void *context, int64_t index, hl_row *row)
{
    const hl_heads_patching *p = context;
    const hl_patched *its = ranked(p, index);
    char name[NAME];
    name_of(p, its, name);
    hl_row_text(row, "part", NULL, "%s", name);
    hl_row_number(row, p->command->reverse ? "lost" : "recovered", NULL, 3, its->estimate.mean);
    if (p->command->pairs != NULL) {
        double half = 1.96 * its->estimate.error;
        hl_row_text(row, "95% interval", NULL, isfinite(half) ? "%.3f .. %.3f" : "-", its->estimate.mean - half,
                    its->estimate.mean + half);
    }
}

static void print_heading(hl_text *text, const hl_heads_patching *p)
{
    if (p->command->pairs != NULL) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "%s: %" PRId64 " pairs, of which %" PRId64 " count: in the others, clean "
                          "and corrupt text differ by less than 0.001.",
                          p->command->pairs, p->n_pairs, p->n_used);
        return;
    }
    hl_text right = { 0 }, wrong = { 0 };
    hl_text_shown(&right, answer_of(p, p->right));
    hl_text_shown(&wrong, answer_of(p, p->wrong));
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "At position %" PRId64 ", the logit of \"%s\" minus that of \"%s\" is %.3f on the clean text and "
                      "%.3f on the corrupt one.",
                      p->position, hl_text_part(text, &right), hl_text_part(text, &wrong), p->d_clean, p->d_corrupt);
    hl_text_free(&right);
    hl_text_free(&wrong);
}

static void print_meaning(hl_text *text, const hl_heads_patching *p)
{
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      p->command->reverse
                          ? "lost: the share of this difference that is lost if the part's output in the pass over the "
                            "clean text comes from the corrupt text (0: none, 1: all)."
                          : "recovered: the share of this difference that comes back if the part's output in the pass "
                            "over the corrupt text comes from the clean text (0: none, 1: all).");
    if (p->command->heads == NULL) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "Maps: layers down; shares below 0 are drawn as 0, and shares above 1 as 1.");
    }
}

static hl_status print_maps(hl_text *text, const hl_heads_patching *p, FILE *out)
{
    maps m;
    hl_terminal terminal = hl_terminal_of(out);
    hl_status status = maps_make(&m, p);
    for (int64_t i = 0; i < m.n; i++) {
        HL_THEN(status, hl_terminal_map(&terminal, &m.panels[i], text));
        hl_text_print(text, "\n");
    }
    maps_free(&m);
    return status;
}

static void print_table(hl_text *text, const hl_heads_patching *p, FILE *out)
{
    print_heading(text, p);
    hl_text_print(text, "\n");
    if (p->command->heads == NULL) {
        hl_text_fail(text, print_maps(text, p, out));
    }
    hl_results_print(text, (hl_results){ shown_row, p, p->n_rows < SHOWN ? p->n_rows : SHOWN }, HL_TABLE_WIDTH, 1);
    hl_text_print(text, "\n");
    print_meaning(text, p);
}

/* ---- for programs ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    static const char *const kinds[] = { "head", "attention", "feed_forward", "heads" };
    const hl_heads_patching *p = context;
    const hl_patched *its = &p->rows[index];
    char name[NAME];
    name_of(p, its, name);
    hl_row_text(row, NULL, "part", "%s", name);
    hl_row_text(row, NULL, "kind", "%s", kinds[its->kind]);
    hl_row_integer(row, NULL, "layer", its->layer >= 0 ? its->layer : NAN);
    hl_row_integer(row, NULL, "head", its->head >= 0 ? (double)its->head : NAN);
    hl_row_number(row, NULL, "effect", 0, its->estimate.mean);
    hl_row_number(row, NULL, "error", 0, its->estimate.error);
}

static json_t *residual_json(const hl_heads_patching *p)
{
    json_t *layers = json_array();
    int64_t T = *p->corrupt.example.lengths;
    for (int l = 0; l < p->run->source.shape.n_layers; l++) {
        json_t *row = json_array();
        for (int64_t t = 0; t < T; t++) {
            hl_json_append(&row, hl_json_number((double)p->residual[l * T + t]));
        }
        hl_json_append(&layers, row);
    }
    return layers;
}

static void print_json(hl_text *text, const hl_heads_patching *p)
{
    const hl_vocabulary *vocabulary = p->run->source.vocabulary;
    bool one = p->command->pairs == NULL;
    int64_t at = p->command->at;
    json_t *root = json_pack(
        "{s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pairs", (json_int_t)p->n_pairs, "used",
        (json_int_t)p->n_used, "reverse", p->command->reverse, "at", at >= 0 ? json_integer(at) : json_null(),
        "position", one ? json_integer(p->position) : json_null(), "answer",
        one ? hl_json_name(answer_of(p, p->right)) : json_null(), "wrong",
        one ? hl_json_name(answer_of(p, p->wrong)) : json_null(), "d_clean",
        one ? hl_json_number(p->d_clean) : json_null(), "d_corrupt", one ? hl_json_number(p->d_corrupt) : json_null(),
        "clean", one ? hl_heads_tokens_json(vocabulary, &p->clean.example) : json_null(), "corrupt",
        one ? hl_heads_tokens_json(vocabulary, &p->corrupt.example) : json_null(), "rows",
        hl_results_json((hl_results){ row_of, p, p->n_rows }), "residual",
        p->residual != NULL ? residual_json(p) : json_null());
    hl_json_print_document(text, root);
}

static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    const hl_heads_patching *p = context;
    maps m;
    hl_status status = maps_make(&m, p);
    hl_picture picture = { .panels = m.panels,
                           .row_lengths = (const int64_t[]){ 1, 1 },
                           .n_rows = m.n,
                           .caption = p->run->source.name,
                           .names = { .rows = "layer", .columns = "part or token", .colours = "share" } };
    HL_THEN(status, hl_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes));
    maps_free(&m);
    return status;
}

/* Prints the results, or writes the requested files: JSON {"pairs", "used", "reverse", "at", "position", "answer",
 * "wrong", "d_clean", "d_corrupt", "rows": [{"part", "layer", "head", "effect", "error"}], "residual": layers of
 * tokens, "clean": tokens, "corrupt": tokens} (null if there is more than one pair); CSV the rows; figures of both
 * maps. HL_BAD_FILE, HL_NO_MEMORY, HL_FAILED. */
static hl_status deliver(const hl_heads_patching *patching, FILE *out)
{
    hl_heads_answer answer = { .draw = draw, .of = patching };
    print_table(&answer.table, patching, out);
    print_json(&answer.json, patching);
    hl_results_csv(&answer.csv, (hl_results){ row_of, patching, patching->n_rows });
    return hl_heads_deliver(patching->command, &answer, out);
}

/* ---- the verb ---- */

static hl_status check(const hl_heads_command *command)
{
    bool texts = command->clean != NULL && command->corrupt != NULL,
         any = command->clean != NULL || command->corrupt != NULL;
    if (command->pairs != NULL && (any || command->answer != NULL || command->wrong != NULL)) {
        return hl_error(HL_INVALID, "command line: --pairs brings texts and answers of its own; leave --clean, "
                                    "--corrupt, --answer and --wrong out");
    }
    if (command->pairs == NULL && !texts) {
        return hl_error(HL_INVALID, "command line: patch compares two texts: give --clean and --corrupt, or --pairs");
    }
    if (command->heads != NULL && hl_heads_command_draws(command)) {
        return hl_error(HL_INVALID, "command line: with --heads there is one number and nothing to draw; leave --png, "
                                    "--svg and --pdf out");
    }
    return hl_ok();
}

/* How long the texts of --pairs are is not known before they are cut: as long as the model takes. */
static hl_status bytes_of(const hl_heads_need *need, const hl_model *model, size_t *bytes)
{
    const hl_model_source *run = &need->run->source;
    int64_t most = run->shape.max_length, T = most;
    if (need->command->pairs == NULL) {
        T = hl_heads_input_most(run, need->command->clean);
        T = T < 1 ? 1 : T > most ? most : T;
    }
    return hl_patch_bytes(model, T, run->threads, bytes);
}

static hl_status memory(hl_heads_need *need)
{
    size_t pass;
    HL_TRY(hl_heads_bytes(need, bytes_of, &pass));
    need->bytes = hl_size_sum(pass, hl_heads_model_bytes(need));
    need->remedy = "shorter texts need less";
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_TOKENS, NULL));
    HL_TRY(hl_opened_model_load(&call->model, -1));
    hl_heads_patching patching;
    hl_status status = hl_heads_patching_measure(&patching, &call->model, &call->command, call->err);
    HL_THEN(status, deliver(&patching, call->out));
    hl_heads_patching_free(&patching);
    return status;
}

const hl_heads_verb hl_heads_verb_patch = {
    .name = "patch",
    .does = "which parts of the model carry the difference between two texts",
    .example = "patch runs/copy_task --pairs pairs.tsv",
    .help = hl_heads_help_patch,
    .options = "clean corrupt pairs answer wrong position at heads reverse json csv png svg pdf",
    .check = check,
    .memory = memory,
    .run = run,
};
