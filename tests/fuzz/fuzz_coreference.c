/* The bytes as the text of `heads coreference`, with a tiny model. No head finds more than there are cases, and
 * mentions stand in the order of their words. */
#include "study/coreference_study.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

static void check(const hl_coreference_study *study)
{
    const hl_coreference_text *text = &study->text;
    for (int64_t w = 0; w < text->windows->n_sentences; w++) {
        int64_t n_words = hl_treebank_at(text->windows, w).n_words;
        for (size_t m = text->firsts[w]; m < text->firsts[w + 1]; m++) {
            const hl_coreference_mention *mention = &text->mentions[m];
            fuzz_require(mention->word >= 0 && mention->word < n_words && mention->n_entities > 0);
            fuzz_require(m == text->firsts[w] || mention->word > text->mentions[m - 1].word);
        }
    }
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        hl_coreference_row found;
        fuzz_require(hl_coreference_row_of(&study->found, row, &found).code == HL_OK);
        fuzz_require(found.cases == 0 || (found.found >= 0 && found.found <= 1));
        fuzz_require(found.held_out_cases <= found.cases);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hl_opened_model model;
    static const hl_syntax_question question = { .path = "fuzz.conllu", .max_pieces = 24 };
    input_file_set_one("fuzz.conllu", data, size);
    if (model.source.path == NULL) {
        fuzz_require(hl_opened_model_open(&model, HL_TINY "/bert_bare").code == HL_OK);
        fuzz_require(hl_opened_model_load(&model, -1).code == HL_OK);
        model.source.threads = 1;
    }
    hl_coreference_study study;
    hl_status status = hl_coreference_study_read(&study, &model, &question);
    fuzz_require(status.code == HL_OK || status.code == HL_BAD_FILE);
    if (status.code == HL_OK) {
        fuzz_require(hl_coreference_study_make(&study, &question).code == HL_OK);
        check(&study);
    }
    hl_coreference_study_free(&study);
    return 0;
}
