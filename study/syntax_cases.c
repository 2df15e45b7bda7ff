/* Examples of what heads find in a treebank. */
#include "heads/syntax_cases.h"

#include "study/syntax_study.h"

typedef struct finding {
    const hl_syntax_question *question;
    hl_syntax_study *study;
    int64_t first_head; /* of the layer at work, among all */
    bool full;
} finding;

static void add_layer(void *context, const hl_word_maps *maps, int threads)
{
    (void)threads;
    finding *f = context;
    f->first_head = maps->layer == 0 ? 0 : f->first_head;
    hl_syntax_cases_add(&f->study->cases, maps, f->first_head);
    f->first_head += maps->n_heads;
}

/* Fails, to end the pass, where there are enough. */
static hl_status go_on(void *context, int64_t done, int64_t total)
{
    finding *f = context;
    const hl_syntax_question *q = f->question;
    f->full = hl_syntax_cases_full(&f->study->cases);
    return f->full               ? hl_error(HL_FAILED, "enough examples")
           : q->progress != NULL ? q->progress(q->context, "examples", done, total)
                                 : hl_ok();
}

hl_status hl_syntax_study_find_cases(hl_syntax_study *study, const hl_syntax_question *question, int64_t each)
{
    finding f = { .question = question, .study = study };
    HL_TRY(hl_syntax_cases_init(&study->cases, study->treebank, &study->found, study->rows, study->n_rows, each));
    hl_status status =
        hl_syntax_study_run(study, &study->model->model, NULL,
                            &(hl_treebank_taker){ .layer = add_layer, .progress = go_on, .context = &f });
    return f.full ? hl_ok() : status;
}
