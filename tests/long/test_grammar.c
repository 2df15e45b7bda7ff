/* A head that follows grammar is born in a small masked model, as docs/grammar.md tells: which relation it earns, and
 * when. */
#include "core/files/json.h"
#include "study/model.h"
#include "study/syntax_history.h"
#include "tests/check_suite.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <stdlib.h>

static const char bank[] = HL_CONFIGS "/text/treebank.conllu.gz";

static const char *train(void)
{
    const char *folder = run_path("grammar");
    const char *key = scratch_format("patterns.treebank=%s", bank);
    OK(RUN_BUILT(run_shipped_config("text_masked.ini"), "--out", folder, "--quiet", "model.layers=4",
                 "model.d_model=128", "optimizer.learning_rate=0.001", "optimizer.warmup_steps=300",
                 "train.batch_size=64", "train.steps=4000", "patterns.every=100", key));
    return folder;
}

/* The row of a relation. */
static const json_t *row_of(const json_t *told, const char *relation)
{
    const json_t *rows = json_object_get(told, "rows");
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        if (strcmp(json_string_value(json_object_get(row, "relation")), relation) == 0) {
            return row;
        }
    }
    ck_abort_msg("no row of %s", relation);
}

/* Held out, a head finds the noun of a determiner clearly more often than an offset and than random weights do. */
static void check_last(const char *folder)
{
    json_t *told = json_answer(HEADS("grammar", folder, bank, "--json"));
    const json_t *det = row_of(told, "det");
    double held_out = json_number_value(json_object_get(det, "held_out"));
    double offset = json_number_value(json_object_get(det, "held_out_baseline"));
    ck_assert(json_is_true(json_object_get(det, "label")));
    ck_assert_str_eq(json_string_value(json_object_get(det, "held_out_direction")), "d>h");
    ck_assert_double_ge(json_number_value(json_object_get(det, "held_out_low")), offset + 0.1);
    ck_assert_double_ge(held_out, json_number_value(json_object_get(det, "null_held_out")) + 0.5);
    ck_assert(!json_is_true(json_object_get(row_of(told, "nsubj"), "label")));
}

/* It was not there at first, and began to earn the relation on the way. */
static void check_birth(const char *folder)
{
    hl_opened_model *run = malloc(sizeof *run);
    hl_syntax_history history;
    CHECK_OK(hl_opened_model_open(run, folder));
    CHECK_OK(hl_syntax_history_read(&history, &run->source, -1));
    const hl_report_syntax_steps *shown = &history.shown;
    int64_t det = 0, born = 0;
    while (strcmp(shown->names[det], "det") != 0) {
        det++;
    }
    for (int64_t h = 0; h < shown->n_heads; h++) {
        int32_t birth = shown->births[det * shown->n_heads + h];
        born += birth >= 0;
        ck_assert_int_eq(shown->steps[3], 300);
        for (int64_t s = 0; s <= 3; s++) {
            double found = (double)shown->found[(s * shown->n_relations + det) * shown->n_heads + h];
            ck_assert_double_lt(found, hl_syntax_share(shown->baselines[det]));
        }
        ck_assert(birth < 0 || (shown->steps[birth] > 300 && shown->steps[birth] < 4000));
    }
    ck_assert_int_gt(born, 0);
    hl_syntax_history_free(&history);
    hl_opened_model_close(run);
    free(run);
}

TEST(a_head_for_determiners_is_born)
{
    const char *folder = train();
    check_last(folder);
    check_birth(folder);
}

SUITE("grammar", .seconds = 1800)
