/* The bytes as the treebank of `heads grammar --trees`, with a tiny model. What is taken is counted: of every
 * case one guess of each head, and of every tree no more arcs are right than it has. */
#include "study/syntax_study.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

static void check_relation(const hl_syntax_study *study, int64_t relation)
{
    for (int half = 0; half < 2; half++) {
        const hl_syntax_half *counts = &study->found.halves[half];
        fuzz_require(counts->cases[relation] >= 0);
        for (int64_t i = 0; i < 2 * study->found.n_heads; i++) {
            int64_t hits = counts->hits[2 * relation * study->found.n_heads + i];
            fuzz_require(hits >= 0 && hits <= counts->cases[relation]);
        }
    }
}

static void check(const hl_syntax_study *study)
{
    int64_t R = study->treebank->n_relations;
    for (int64_t r = 0; r < R; r++) {
        check_relation(study, r);
    }
    fuzz_require(study->has_trees && study->tree_sentences <= study->treebank->n_sentences / 2);
    for (hl_syntax_tree_kind kind = 0; kind < HL_SYNTAX_TREE_KINDS; kind++) {
        const hl_tree_score *score = &study->trees[kind];
        fuzz_require(score->directed <= score->undirected && score->undirected <= score->arcs);
        bool none = kind == HL_SYNTAX_TREE_MEAN && study->n_tree_heads == 0;
        fuzz_require(score->arcs == (none ? 0 : study->trees[0].arcs));
    }
    for (int64_t head = 0; head < study->found.n_heads; head++) {
        fuzz_require(study->labels[head].relation < R);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hl_opened_model model;
    static const hl_syntax_question question = {
        .path = "fuzz.conllu", .max_pieces = 24, .trees = true, .least_cases = 1
    };
    input_file_set_one("fuzz.conllu", data, size);
    if (model.source.path == NULL) {
        fuzz_require(hl_opened_model_open(&model, HL_TINY "/bert_bare").code == HL_OK);
        fuzz_require(hl_opened_model_load(&model, -1).code == HL_OK);
        model.source.threads = 1;
    }
    hl_syntax_study study;
    hl_status status = hl_syntax_study_read(&study, &model, &question);
    fuzz_require(status.code == HL_OK || status.code == HL_BAD_FILE);
    if (status.code == HL_OK) {
        size_t bytes, kept;
        fuzz_require(hl_syntax_study_bytes(&study, &question, &bytes, &kept).code == HL_OK);
        fuzz_require(hl_syntax_study_make(&study, &question).code == HL_OK);
        check(&study);
    }
    hl_syntax_study_free(&study);
    return 0;
}
