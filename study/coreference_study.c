#include "study/coreference_study.h"

#include "core/base/memory.h"
#include "heads/head_set.h"

#include <math.h>

hl_status hl_coreference_study_read(hl_coreference_study *study, const hl_opened_model *model,
                                    const hl_syntax_question *question)
{
    *study = (hl_coreference_study){ .model = model };
    hl_treebank_spec spec;
    HL_TRY(hl_syntax_question_spec(question, model, &spec));
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

static hl_status count_with(const hl_coreference_study *study, const hl_syntax_question *question, bool null,
                            hl_coreference_counts *counts)
{
    HL_TRY(hl_coreference_init(counts, &study->text, hl_heads_count(&study->model->source.shape)));
    return hl_treebank_run_pass(
        study->model, study->text.windows, question,
        &(hl_treebank_run){ .null = null, .layer = hl_coreference_add_layer, .context = counts });
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

hl_status hl_coreference_study_find_cases(hl_coreference_study *study, const hl_syntax_question *question, int64_t each)
{
    HL_TRY(hl_coreference_cases_init(&study->cases, &study->found, study->rows, each));
    return hl_treebank_run_pass(study->model, study->text.windows, question,
                                &(hl_treebank_run){ .what = "examples",
                                                    .layer = hl_coreference_cases_add,
                                                    .enough = hl_coreference_cases_full,
                                                    .context = &study->cases });
}

void hl_coreference_study_free(hl_coreference_study *study)
{
    hl_coreference_text_free(&study->text);
    hl_coreference_free(&study->found);
    hl_coreference_free(&study->null);
    hl_coreference_cases_free(&study->cases);
    *study = (hl_coreference_study){ 0 };
}
