/* What heads importance says of made-up figures. */
#include "programs/heads/importance.h"

#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/runs/answers.h"

#include <math.h>
#include <string.h>

enum { HEADS = 6 };

typedef struct made_up {
    hl_model_source run;
    hl_head_importance heads[HEADS];
    hl_label labels[HEADS];
    hl_heads_importance study;
} made_up;

/* Labeled and large, labeled and small, labeled and small but not sure, mixed and large, mixed and large but not
 * sure, mixed and small. */
static void set_up(made_up *m)
{
    *m = (made_up){ .run = { .path = (char *)"run" } };
    m->run.shape.n_layers = 2;
    m->run.shape.heads[0] = 4;
    m->run.shape.heads[1] = 2;
    static const hl_estimate zero[HEADS] = { { 1, 0.1 },    { 0.02, 0.01 }, { 0.02, 0.05 },
                                             { 0.5, 0.05 }, { 0.5, 0.2 },   { 0.02, 0.001 } };
    for (int i = 0; i < HEADS; i++) {
        m->heads[i] = (hl_head_importance){
            .layer = i / 4, .head = i % 4, .gradient = { 0.5, 0.25 }, .normalised = 0.5, .zero = zero[i]
        };
        m->labels[i] = (hl_label){ .kind = i < 3 ? HL_LABEL_OFFSET : HL_LABEL_MIXED, .parameter = -11 };
    }
    m->study = (hl_heads_importance){
        .run = &m->run,
        .importance = { .n_examples = 16, .loss = 0.25, .heads = m->heads, .n = HEADS, .rank_correlation = 0.5 },
        .labels = m->labels,
        .step = 100,
        .weights_step = 100,
    };
}

TEST(decorative_heads_and_silent_workers_are_told_from_the_rest)
{
    made_up m;
    set_up(&m);
    static const bool decorative[HEADS] = { 0, 1, 0, 0, 0, 0 }, silent[HEADS] = { 0, 0, 0, 1, 0, 0 };
    json_t *rows = hl_results_json((hl_results){ hl_heads_importance_row_of, &m.study, HEADS });
    for (size_t i = 0; i < HEADS; i++) {
        const json_t *row = json_array_get(rows, i);
        ck_assert_int_eq(json_is_true(json_object_get(row, "decorative")), decorative[i]);
        ck_assert_int_eq(json_is_true(json_object_get(row, "silent")), silent[i]);
    }
    json_decref(rows);
    hl_text text = { 0 };
    hl_heads_importance_table(&text, &m.study);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\nL0H1 looks decorative: "));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\nL0H3 is a silent worker: "));
    ck_assert_ptr_null(strstr(text.bytes, "No head looks decorative"));
    ck_assert_ptr_null(strstr(text.bytes, "Shapley:"));
    hl_text_free(&text);
    /* Where no head has an effect none is decorative beside another. */
    for (int i = 0; i < HEADS; i++) {
        m.heads[i].zero = (hl_estimate){ -1e-9, 1e-10 };
    }
    hl_heads_importance_table(&text, &m.study);
    ck_assert_ptr_nonnull(strstr(text.bytes, "No head looks decorative"));
    hl_text_free(&text);
}

TEST(one_sentence_says_what_the_rank_correlation_means)
{
    static const struct {
        double number;
        const char *says;
    } cases[] = { { 1, "agree on the order of the heads: Spearman's rank correlation is 1.00 (" },
                  { 0.9, "agree on the order of the heads: Spearman's rank correlation is 0.90 (" },
                  { 0.89, "partly agree on the order of the heads: Spearman's rank correlation is 0.89 (" },
                  { 0.4951, "partly agree on the order of the heads: Spearman's rank correlation is 0.50 (" },
                  { 0.49, "put the heads in different orders: Spearman's rank correlation is 0.49 (" },
                  { -0.001, "put the heads in different orders: Spearman's rank correlation is 0.00 (" },
                  { -1, "put the heads in different orders: Spearman's rank correlation is -1.00 (" },
                  { NAN, NULL } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_up m;
        set_up(&m);
        m.study.importance.rank_correlation = cases[i].number;
        hl_text text = { 0 };
        hl_heads_importance_table(&text, &m.study);
        const char *says = strstr(answer_flat(text.bytes), "Importance and zero ");
        if (cases[i].says == NULL) {
            ck_assert_ptr_null(says);
        } else {
            ck_assert_ptr_nonnull(says);
            says += strlen("Importance and zero ");
            ck_assert_msg(strncmp(says, cases[i].says, strlen(cases[i].says)) == 0, "%g: %.80s", cases[i].number, says);
        }
        hl_text_free(&text);
    }
}

TEST(figures_of_any_size_fit_80_columns)
{
    made_up m;
    set_up(&m);
    m.run.shape.heads[0] = 4;
    static const double sizes[] = { 1e-12, -1e-12, 12.3456, -1234567.8, 1e300, -1e-300, INFINITY, NAN };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int i = 0; i < HEADS; i++) {
            m.heads[i].gradient = m.heads[i].mean = m.heads[i].uniform =
                (hl_estimate){ sizes[s], s % 2 == 0 ? sizes[s] : INFINITY };
        }
        hl_text text = { 0 };
        hl_heads_importance_table(&text, &m.study);
        CHECK_OK(hl_text_status(&text));
        answer_fits(text.bytes);
        ck_assert(s > 0 || strstr(text.bytes, " 1e-12 (1e-12)") != NULL); /* no row of zeros */
        hl_text_free(&text);
    }
}

TEST(what_is_not_known_is_null_and_empty)
{
    made_up m;
    set_up(&m);
    m.heads[0].zero.error = INFINITY;
    hl_text json = { 0 }, csv = { 0 };
    hl_heads_importance_json(&json, &m.study);
    ck_assert_ptr_nonnull(strstr(json.bytes, "\"zero_error\": null"));
    ck_assert_ptr_nonnull(strstr(json.bytes, "\"smallest_set\": null"));
    hl_results_csv(&csv, (hl_results){ hl_heads_importance_row_of, &m.study, m.study.importance.n });
    ck_assert_ptr_nonnull(strstr(csv.bytes, "\n0,0,offset(-11),0.5,0.25,0.5,1,,0,0,0,0,,0,0\n"));
    ck_assert_ptr_nonnull(strstr(csv.bytes, "\n0,1,offset(-11),0.5,0.25,0.5,0.02,0.01,0,0,0,0,,1,0\n"));
    hl_text_free(&json);
    hl_text_free(&csv);
}

/* All heads are in the smallest set: its names grow a text several times. */
TEST(want_of_memory_loses_no_name)
{
    made_up m;
    set_up(&m);
    static double losses[1 << HEADS], accuracies[1 << HEADS];
    m.study.has_subsets = true;
    m.study.subsets = (hl_all_subsets){ .n = HEADS, .losses = losses, .accuracies = accuracies };
    m.study.smallest = 0x15;
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        hl_text text = { 0 };
        hl_heads_importance_table(&text, &m.study);
        hl_status status = hl_text_status(&text);
        fault_checks_turn(status);
        bool complete = status.code == HL_OK;
        ck_assert(!complete || (n > 20 && strstr(text.bytes, "(L0H0, L0H2, L1H0). ") != NULL));
        hl_text_free(&text);
    }
    faults_end();
}

SUITE("figures of importance")
