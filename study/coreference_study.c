#include "study/coreference_study.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "heads/head_set.h"
#include "heads/treebank_pass.h"
#include "study/model_examples.h"
#include "train/footprint.h"

enum { ROWS = 2048 }; /* that the model is run on at once: enough for full speed, little memory */

hl_status hl_coreference_study_read(hl_coreference_study *study, const hl_opened_model *model,
                                    const hl_syntax_question *question)
{
    *study = (hl_coreference_study){ .model = model };
    hl_treebank_spec spec;
    HL_TRY(hl_syntax_study_spec(model, question, &spec));
    study->max_pieces = spec.max_pieces;
    return hl_coreference_read(&spec, &study->text);
}

hl_status hl_coreference_study_bytes(const hl_coreference_study *study, const hl_syntax_question *question,
                                     size_t *bytes)
{
    const hl_opened_model *opened = study->model;
    hl_footprint f;
    HL_TRY(hl_footprint_of_evaluated(&opened->source.config, &f));
    struct {
        hl_model model; /* without numbers */
        hl_treebank_pass pass;
    } *dry = hl_calloc(1, sizeof *dry); /* too large for the stack of some threads */
    HL_NEED(dry != NULL, "a pass over a text");
    hl_status status = hl_model_init(&dry->model, &opened->source.shape);
    HL_THEN(status, hl_treebank_pass_init(&dry->pass, &dry->model, study->text.windows, ROWS, opened->source.threads));
    size_t counts = hl_coreference_counts_bytes(&study->text, hl_heads_count(&opened->source.shape));
    size_t null = question->null ? hl_size_sum(counts, hl_size_sum(f.weights, f.positions)) : 0;
    *bytes = hl_size_sum(dry->pass.bytes, hl_size_sum(counts, null));
    hl_treebank_pass_free(&dry->pass);
    hl_model_free(&dry->model);
    hl_free(dry);
    return status;
}

/* ---- a pass ---- */

typedef struct counting {
    const hl_syntax_question *question;
    const char *what;
    hl_coreference_counts *counts;
    const hl_word_maps *maps; /* of the layer at work */
} counting;

static void count_heads(const void *context, hl_range heads)
{
    const counting *c = context;
    for (int64_t w = c->maps->first; w < c->maps->first + c->maps->n_sentences; w++) {
        int64_t W = hl_treebank_at(c->counts->text->windows, w).n_words;
        for (int64_t h = heads.begin; h < heads.end; h++) {
            hl_coreference_add_head(c->counts, c->maps->first_head + h, w, hl_word_map(c->maps, w, h, W));
        }
    }
}

static void count_layer(void *context, const hl_word_maps *maps, int threads)
{
    counting *c = context;
    c->maps = maps;
    hl_threads_run(threads, maps->n_heads, 1, count_heads, c);
}

static hl_status tell(void *context, int64_t done, int64_t total)
{
    const counting *c = context;
    const hl_syntax_question *q = c->question;
    return q->progress != NULL ? q->progress(q->context, c->what, done, total) : hl_ok();
}

static hl_status count_with(const hl_coreference_study *study, const hl_model *model, counting *c)
{
    const hl_model_source *source = &study->model->source;
    HL_TRY(hl_coreference_init(c->counts, &study->text, hl_heads_count(&source->shape)));
    hl_treebank_pass *pass = hl_calloc(1, sizeof *pass);
    HL_NEED(pass != NULL, "a pass over a text");
    hl_arena arena = { 0 };
    hl_status status = hl_treebank_pass_init(pass, model, study->text.windows, ROWS, source->threads);
    HL_THEN(status, hl_arena_init(&arena, pass->plan.bytes));
    HL_THEN(status, hl_treebank_pass_run(pass, &arena,
                                         &(hl_treebank_taker){ .layer = count_layer, .progress = tell, .context = c }));
    hl_arena_free(&arena);
    hl_treebank_pass_free(pass);
    hl_free(pass);
    return status;
}

static hl_status count_null(hl_coreference_study *study, const hl_syntax_question *question)
{
    hl_model *null = hl_calloc(1, sizeof *null);
    HL_NEED(null != NULL, "random weights");
    counting c = { question, "random weights", &study->null, NULL };
    hl_status status = hl_opened_model_draw_null(&study->model->source, null);
    HL_THEN(status, count_with(study, null, &c));
    hl_model_free(null);
    hl_free(null);
    return status;
}

hl_status hl_coreference_study_make(hl_coreference_study *study, const hl_syntax_question *question)
{
    counting c = { question, "the model", &study->found, NULL };
    HL_TRY(count_with(study, &study->model->model, &c));
    return question->null ? count_null(study, question) : hl_ok();
}

void hl_coreference_study_free(hl_coreference_study *study)
{
    hl_coreference_text_free(&study->text);
    hl_coreference_free(&study->found);
    hl_coreference_free(&study->null);
    *study = (hl_coreference_study){ 0 };
}
