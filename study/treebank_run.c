#include "study/treebank_run.h"

#include "core/base/memory.h"
#include "study/model_examples.h"
#include "train/footprint.h"

static hl_status run_model(const hl_opened_model *opened, const hl_model *model, const hl_treebank *treebank,
                           hl_syntax *counts, const hl_treebank_taker *taker)
{
    hl_treebank_pass *pass = hl_calloc(1, sizeof *pass);
    HL_NEED(pass != NULL, "a pass over a treebank");
    hl_arena arena = { 0 };
    hl_status status = hl_treebank_pass_init(pass, model, treebank, HL_TREEBANK_RUN_ROWS, opened->source.threads);
    HL_THEN(status, hl_arena_init(&arena, pass->plan.bytes));
    HL_THEN(status, counts != NULL ? hl_treebank_pass_count(pass, &arena, counts, taker->progress, taker->context)
                                   : hl_treebank_pass_run(pass, &arena, taker));
    hl_arena_free(&arena);
    hl_treebank_pass_free(pass);
    hl_free(pass);
    return status;
}

hl_status hl_treebank_run(const hl_opened_model *opened, bool null, const hl_treebank *treebank, hl_syntax *counts,
                          const hl_treebank_taker *taker)
{
    if (!null) {
        return run_model(opened, &opened->model, treebank, counts, taker);
    }
    hl_model *drawn = hl_calloc(1, sizeof *drawn);
    HL_NEED(drawn != NULL, "random weights");
    hl_status status = hl_opened_model_draw_null(&opened->source, drawn);
    HL_THEN(status, run_model(opened, drawn, treebank, counts, taker));
    hl_model_free(drawn);
    hl_free(drawn);
    return status;
}

hl_status hl_treebank_run_bytes(const hl_opened_model *opened, const hl_treebank *treebank, size_t *bytes, size_t *null)
{
    hl_footprint f;
    HL_TRY(hl_footprint_of(&opened->source.config, HL_FOR_EVALUATION, 1, -1, &f));
    struct {
        hl_model model; /* without numbers */
        hl_treebank_pass pass;
    } *dry = hl_calloc(1, sizeof *dry); /* too large for the stack of some threads */
    HL_NEED(dry != NULL, "a pass over a treebank");
    hl_status status = hl_model_init(&dry->model, &opened->source.shape);
    HL_THEN(status,
            hl_treebank_pass_init(&dry->pass, &dry->model, treebank, HL_TREEBANK_RUN_ROWS, opened->source.threads));
    *bytes = dry->pass.bytes;
    *null = hl_size_sum(f.weights, f.positions);
    hl_treebank_pass_free(&dry->pass);
    hl_model_free(&dry->model);
    hl_free(dry);
    return status;
}
