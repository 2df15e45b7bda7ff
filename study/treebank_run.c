#include "study/treebank_run.h"

#include "core/base/memory.h"
#include "study/model_examples.h"
#include "train/footprint.h"
#include "train/setup_data.h"

hl_status hl_syntax_question_tell(const hl_syntax_question *question, const char *what, int64_t done, int64_t total)
{
    return question->progress != NULL ? question->progress(question->context, what, done, total) : hl_ok();
}

static hl_status tell_reading(void *question, int64_t done, int64_t total)
{
    return hl_syntax_question_tell(question, "reading", done, total);
}

hl_status hl_syntax_question_spec(const hl_syntax_question *question, const hl_opened_model *model,
                                  hl_treebank_spec *out)
{
    const hl_text_data *text = hl_dataset_text(model->source.dataset);
    const hl_text_spec spec = hl_config_text_spec(&model->source.config);
    if (text == NULL || spec.task == HL_TEXT_FILE) {
        return hl_error(HL_INVALID,
                        "%s: reads no text: a treebank is for models of text, such as of tasks masked, next, tags, "
                        "classes, or for open models",
                        model->source.path);
    }
    int64_t most = model->source.shape.max_length, asked = question->max_pieces;
    *out = (hl_treebank_spec){ .path = question->path,
                               .tokens = hl_text_data_tokens(text),
                               .wraps = !hl_text_spec_is_running(&spec),
                               .max_pieces = asked > 0 && asked < most ? asked : most,
                               .subtypes = question->subtypes,
                               .progress = question->progress != NULL ? tell_reading : NULL,
                               .context = (void *)question };
    return hl_ok();
}

/* ---- a pass ---- */

typedef struct call {
    const hl_syntax_question *question;
    const hl_treebank_run *run;
} call;

static void take_layer(void *context, const hl_word_maps *maps, int threads)
{
    const hl_treebank_run *run = ((const call *)context)->run;
    run->layer(run->context, maps, threads);
}

static bool is_enough(const hl_treebank_run *run)
{
    return run->enough != NULL && run->enough(run->context);
}

/* Fails, to end the pass, where there is enough. */
static hl_status tell(void *context, int64_t done, int64_t total)
{
    const call *c = context;
    const char *weights = c->run->null ? "random weights" : "the model";
    return is_enough(c->run)
               ? hl_error(HL_FAILED, "enough")
               : hl_syntax_question_tell(c->question, c->run->what != NULL ? c->run->what : weights, done, total);
}

static hl_status run_model(const hl_opened_model *opened, const hl_model *model, const hl_treebank *treebank, call *c)
{
    hl_treebank_pass *pass = hl_calloc(1, sizeof *pass);
    HL_NEED(pass != NULL, "a pass over a treebank");
    hl_arena arena = { 0 };
    const hl_treebank_taker taker = { .layer = take_layer, .progress = tell, .context = c };
    hl_status status = hl_treebank_pass_init(pass, model, treebank, HL_TREEBANK_RUN_ROWS, opened->source.threads);
    HL_THEN(status, hl_arena_init(&arena, pass->plan.bytes));
    HL_THEN(status, hl_treebank_pass_run(pass, &arena, &taker));
    hl_arena_free(&arena);
    hl_treebank_pass_free(pass);
    hl_free(pass);
    return is_enough(c->run) ? hl_ok() : status;
}

hl_status hl_treebank_run_pass(const hl_opened_model *opened, const hl_treebank *treebank,
                               const hl_syntax_question *question, const hl_treebank_run *run)
{
    call c = { question, run };
    if (!run->null) {
        return run_model(opened, &opened->model, treebank, &c);
    }
    hl_model drawn = { 0 };
    hl_status status = hl_opened_model_draw_null(&opened->source, &drawn);
    HL_THEN(status, run_model(opened, &drawn, treebank, &c));
    hl_model_free(&drawn);
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
