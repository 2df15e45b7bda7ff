#include "study/coreference_study.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "study/treebank_run.h"

#include <math.h>

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
    size_t pass, null, counts = hl_coreference_counts_bytes(&study->text, hl_heads_count(&study->model->source.shape));
    HL_TRY(hl_treebank_run_bytes(study->model, study->text.windows, &pass, &null));
    *bytes = hl_size_sum(hl_size_sum(pass, counts), question->null ? hl_size_sum(counts, null) : 0);
    return hl_ok();
}

typedef struct counting {
    const hl_syntax_question *question;
    const char *what;
    hl_coreference_counts *counts;
} counting;

static void count_layer(void *context, const hl_word_maps *maps, int threads)
{
    hl_coreference_add_layer(((const counting *)context)->counts, maps, threads);
}

static hl_status tell(void *context, int64_t done, int64_t total)
{
    const counting *c = context;
    return hl_syntax_question_tell(c->question, c->what, done, total);
}

static hl_status count_with(const hl_coreference_study *study, const hl_syntax_question *question, bool null,
                            hl_coreference_counts *counts)
{
    HL_TRY(hl_coreference_init(counts, &study->text, hl_heads_count(&study->model->source.shape)));
    counting c = { question, null ? "random weights" : "the model", counts };
    return hl_treebank_run(study->model, null, study->text.windows, NULL,
                           &(hl_treebank_taker){ .layer = count_layer, .progress = tell, .context = &c });
}

hl_status hl_coreference_study_make(hl_coreference_study *study, const hl_syntax_question *question)
{
    HL_TRY(count_with(study, question, false, &study->found));
    HL_TRY(question->null ? count_with(study, question, true, &study->null) : hl_ok());
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        HL_TRY(hl_coreference_row_of(&study->found, row, &study->rows[row]));
        study->null_rows[row].found = NAN;
        HL_TRY(question->null ? hl_coreference_row_of(&study->null, row, &study->null_rows[row]) : hl_ok());
    }
    return hl_ok();
}

/* ---- examples ---- */

typedef struct finding {
    const hl_syntax_question *question;
    hl_coreference_cases *cases;
} finding;

static void add_cases(void *context, const hl_word_maps *maps, int threads)
{
    (void)threads;
    hl_coreference_cases_add(((const finding *)context)->cases, maps);
}

/* Fails, to end the pass, if there are enough. */
static hl_status tell_cases(void *context, int64_t done, int64_t total)
{
    const finding *f = context;
    return hl_coreference_cases_full(f->cases) ? hl_error(HL_FAILED, "enough examples")
                                               : hl_syntax_question_tell(f->question, "examples", done, total);
}

hl_status hl_coreference_study_find_cases(hl_coreference_study *study, const hl_syntax_question *question, int64_t each)
{
    finding f = { question, &study->cases };
    HL_TRY(hl_coreference_cases_init(&study->cases, &study->found, study->rows, each));
    hl_status status =
        hl_treebank_run(study->model, false, study->text.windows, NULL,
                        &(hl_treebank_taker){ .layer = add_cases, .progress = tell_cases, .context = &f });
    return hl_coreference_cases_full(&study->cases) ? hl_ok() : status;
}

void hl_coreference_study_free(hl_coreference_study *study)
{
    hl_coreference_text_free(&study->text);
    hl_coreference_free(&study->found);
    hl_coreference_free(&study->null);
    hl_coreference_cases_free(&study->cases);
    *study = (hl_coreference_study){ 0 };
}
