#include "heads/rollout.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "core/files/npz.h"
#include "programs/heads/answers.h"
#include "programs/heads/deliver.h"
#include "programs/heads/input.h"
#include "programs/heads/verb.h"
#include "show/table.h"
#include "show/terminal_map.h"
#include "study/model_examples.h"
#include "study/output.h"
#include "train/terminal.h"

#include <stdio.h>

/* The mean over heads, and the two rollouts. */
enum { KINDS = 3 };
static const struct {
    const char *key, *title;
} kinds[KINDS] = { { "raw", "mean" }, { "rollout", "rollout" }, { "rollout_norms", "by norms" } };

enum { TITLE = 32 };

typedef struct rollouts {
    const hl_opened_model *run;
    int64_t n; /* tokens */
    int L;
    const hl_examples *example;
    hl_real *maps[KINDS]; /* (L, n, n) each; in one block, with the means of norms behind them */
    const char **names;   /* (n) */
    hl_panel *panels;     /* (KINDS, L) */
    char (*titles)[TITLE];
} rollouts;

/* ---- measuring ---- */

static hl_status allocate(rollouts *r, const hl_examples *example)
{
    int64_t n = r->n = *example->lengths, L = r->L = r->run->source.shape.n_layers;
    r->example = example;
    r->maps[0] = hl_calloc(hl_size_product((size_t)((KINDS + 1) * L), (size_t)(n * n)), sizeof(hl_real));
    r->names = hl_calloc((size_t)n, sizeof *r->names);
    r->panels = hl_calloc((size_t)(KINDS * L), sizeof *r->panels);
    r->titles = hl_calloc((size_t)(KINDS * L), sizeof *r->titles);
    HL_NEED(r->maps[0] != NULL && r->names != NULL && r->panels != NULL && r->titles != NULL, "rollout");
    for (int64_t t = 0; t < n; t++) {
        r->names[t] = hl_vocabulary_token(r->run->source.vocabulary, example->tokens[t]);
    }
    for (int k = 0; k < KINDS; k++) {
        r->maps[k] = r->maps[0] + k * L * n * n;
        for (int l = 0; l < L; l++) {
            char *title = r->titles[k * L + l];
            snprintf(title, TITLE, "L%d %s", l, kinds[k].title);
            r->panels[k * L + l] = (hl_panel){ .title = title,
                                               .weights = r->maps[k] + l * n * n,
                                               .n_queries = n,
                                               .n_keys = n,
                                               .stride = n,
                                               .queries = r->names,
                                               .keys = r->names };
        }
    }
    return hl_ok();
}

static hl_status measure(rollouts *r, hl_opened_model *run, const hl_snapshot *maps)
{
    HL_TRY(allocate(r, &maps->examples));
    double *row = hl_malloc((size_t)r->n * sizeof *row);
    HL_NEED(row != NULL, "rollout");
    hl_rollout_means(maps, 0, r->maps[0]);
    hl_rollout(r->L, r->n, r->maps[0], row, r->maps[1]);
    hl_status status = hl_model_maps_to_norms(run, maps);
    if (status.code == HL_OK) {
        hl_real *norms = r->maps[KINDS - 1] + r->L * r->n * r->n;
        hl_rollout_means(maps, 0, norms);
        hl_rollout(r->L, r->n, norms, row, r->maps[KINDS - 1]);
    }
    hl_free(row);
    return status;
}

/* ---- showing ---- */

static void print_maps(hl_text *text, const rollouts *r, FILE *out)
{
    hl_terminal terminal = hl_terminal_of(out);
    for (int k = 0; k < KINDS; k++) {
        hl_text_fail(text, hl_terminal_heads(&terminal, r->panels + k * r->L, r->L, text));
    }
    hl_text_print(text, "\n");
    hl_text_fail(text, hl_terminal_map(&terminal, &r->panels[2 * r->L - 1], text));
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "mean: attention, averaged over the heads of a layer. rollout: where the information at each "
                      "position comes from, through this layer and all layers below; each layer counts the residual "
                      "connection as much as its attention. by norms: the same with the lengths of what heads write "
                      "instead of weights. Below the small maps: the rollout of the last layer, with its tokens.");
}

/* Written piece by piece. */
static hl_status print_json(void *of, hl_text *text)
{
    const rollouts *r = of;
    hl_text_print(text, "{\n  \"format\": %d,\n  \"tokens\": ", HL_JSON_FORMAT);
    hl_json_add(text, hl_heads_tokens_json(r->run->source.vocabulary, r->example), 0);
    for (int k = 0; k < KINDS; k++) {
        hl_text_print(text, ",\n  \"%s\": [", kinds[k].key);
        for (int l = 0; l < r->L; l++) {
            hl_text_print(text, l > 0 ? ",\n    " : "\n    ");
            hl_json_rows(text, r->maps[k] + l * r->n * r->n, r->n, r->n, r->n);
        }
        hl_text_print(text, "\n  ]");
    }
    hl_text_print(text, "\n}\n");
    return hl_ok();
}

static hl_status write_npz(const rollouts *r, const char *path)
{
    const hl_npy_type real = sizeof(hl_real) == sizeof(float) ? HL_NPY_FLOAT32 : HL_NPY_FLOAT64;
    hl_npz_writer *npz = hl_npz_create(path);
    HL_NEED(npz != NULL, path);
    for (int k = 0; k < KINDS; k++) {
        hl_npz_add(npz, kinds[k].key, real, HL_SHAPE(r->L, r->n, r->n), r->maps[k]);
    }
    hl_npz_add(npz, "tokens", HL_NPY_INT32, HL_SHAPE(r->n), r->example->tokens);
    return hl_npz_close(npz, HL_VOLATILE);
}

static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    const rollouts *r = context;
    hl_picture picture = { .panels = r->panels,
                           .row_lengths = (const int64_t[]){ r->L, r->L, r->L },
                           .n_rows = KINDS,
                           .caption = r->run->source.name };
    return hl_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes);
}

static hl_status deliver(rollouts *r, const hl_heads_command *command, FILE *out)
{
    const hl_heads_files *f = &command->files;
    HL_TRY(hl_heads_deliver_charts(command, draw, r, out));
    HL_TRY(f->npz != NULL ? write_npz(r, f->npz) : hl_ok());
    HL_TRY(f->json != NULL ? hl_output_write(f->json, out, print_json, r) : hl_ok());
    if (hl_heads_command_draws(command) || f->npz != NULL || hl_heads_command_fills_output(command)) {
        return hl_ok();
    }
    hl_text text = { 0 };
    print_maps(&text, r, out);
    return hl_output_put("-", &text, out);
}

/* ---- the verb ---- */

static hl_status check(const hl_heads_command *command)
{
    return command->input != NULL ? hl_ok() : hl_error(HL_INVALID, "command line: rollout needs a text: give --input");
}

/* The maps of all heads, the rollouts with one map more, and the larger of two passes. */
static hl_status memory(hl_heads_need *need)
{
    const hl_model_source *run = &need->run->source;
    size_t T = (size_t)hl_heads_input_most(run, need->command->input), L = (size_t)run->shape.n_layers, pass, norms;
    HL_TRY(hl_heads_bytes(need, hl_heads_input_bytes, &pass));
    HL_TRY(hl_heads_bytes(need, hl_heads_norms_bytes, &norms));
    size_t maps = hl_size_product((KINDS + 1) * L, hl_size_product(T, T * sizeof(hl_real)));
    size_t recorded = hl_recorder_bytes(&run->shape, 1, (int64_t)T, 0);
    need->bytes =
        hl_size_sum(hl_size_sum(hl_heads_model_bytes(need), recorded), hl_size_sum(maps, hl_heads_larger(pass, norms)));
    need->remedy = "fewer tokens need less";
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_TOKENS, NULL));
    HL_TRY(hl_opened_model_load(&call->model, -1));
    hl_heads_input input;
    HL_TRY(hl_heads_input_run(&call->model, call->command.input, &input));
    rollouts r = { .run = &call->model };
    hl_status status = measure(&r, &call->model, &input.maps);
    HL_THEN(status, deliver(&r, &call->command, call->out));
    hl_free(r.maps[0]);
    hl_free(r.names);
    hl_free(r.panels);
    hl_free(r.titles);
    hl_heads_input_free(&input);
    return status;
}

const hl_heads_verb hl_heads_verb_rollout = {
    .name = "rollout",
    .does = "where information comes from, through all layers",
    .example = "rollout runs/copy_task --input a",
    .help = hl_heads_help_rollout,
    .options = "input json npz png svg pdf",
    .check = check,
    .memory = memory,
    .run = run,
};
