/* Two runs compared: what each form of the comparison says. */
#include "programs/heads/against.h"

#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/messages.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>

enum { HEADS_OF_TINY = 4 };

static const char *train(const char *name, const char *override)
{
    return TINY_RUN(name, override, "train.steps=6");
}

static hl_opened_model opened(const char *folder)
{
    hl_opened_model run;
    CHECK_OK(hl_opened_model_open(&run, folder));
    return run;
}

/* Compares the run with that in the folder. */
static hl_status compare(hl_heads_against *against, hl_opened_model *run, const char *folder)
{
    hl_opened_model other;
    *against = (hl_heads_against){ 0 };
    hl_status status = hl_opened_model_open(&other, folder);
    HL_THEN(status, hl_heads_against_make(against, run, &other));
    hl_opened_model_close(&other);
    return status;
}

TEST(table_json_and_csv_say_the_same)
{
    const char *one = train("one", "model.heads=2"), *other = train("other", "model.heads=4");
    hl_opened_model run = opened(one);
    hl_heads_against against;
    CHECK_OK(compare(&against, &run, other));
    ck_assert_str_eq(against.path, run_file(one, "against-other.html"));
    json_t *json = answer_json(against.answer.json.bytes);
    const json_t *heads = json_object_get(json, "heads");
    ck_assert_uint_eq(json_array_size(heads), HEADS_OF_TINY);
    const char *row = against.answer.csv.bytes;
    for (size_t i = 0; i < HEADS_OF_TINY; i++) {
        const char *label, *its;
        int layer, head, closest_layer, closest_head;
        double js, untrained;
        ck_assert_int_eq(json_unpack(json_array_get(heads, i), "{s:i, s:i, s:s, s:i, s:i, s:s, s:F, s:F}", "layer",
                                     &layer, "head", &head, "label", &label, "closest_layer", &closest_layer,
                                     "closest_head", &closest_head, "closest_label", &its, "js", &js, "untrained",
                                     &untrained),
                         0);
        char line[64];
        row = strchr(row, '\n') + 1;
        const char *expected = scratch_format("%d,%d,%s,%d,%d,%s,%.9g,%.9g\n", layer, head, label, closest_layer,
                                              closest_head, its, js, untrained);
        ck_assert_msg(strncmp(row, expected, strlen(expected)) == 0, "not \"%s\": %s", expected, row);
        snprintf(line, sizeof line, "\nL%dH%d ", layer, head);
        const char *told = strstr(against.answer.table.bytes, line);
        snprintf(line, sizeof line, "%7.3f%11.3f\n", js, untrained);
        ck_assert_msg(told != NULL && strncmp(strchr(told + 1, '\n') - strlen(line) + 1, line, strlen(line)) == 0, "%s",
                      against.answer.table.bytes);
    }
    hl_heads_against_free(&against);
    hl_heads_against_free(&against);
    hl_opened_model_close(&run);
}

TEST(what_cannot_be_compared_leaves_nothing)
{
    const char *one = train("one", "model.heads=2"), *other = train("other", "task.symbols=5");
    hl_opened_model run = opened(one);
    hl_heads_against against;
    message_check(compare(&against, &run, other), HL_INVALID, "heads.and_cannot_be_compared_their_vocabularies");
    ck_assert(against.path == NULL && against.answer.table.bytes == NULL);
    ck_assert_int_eq(compare(&against, &run, run_path("nowhere")).code, HL_BAD_FILE);
    hl_opened_model_close(&run);
}

/* The first allocations and then every so many fail, in a comparison of their own each. */
TEST(want_of_memory_loses_nothing)
{
    const char *one = train("one", "model.heads=2");
    faults_begin();
    bool complete = false;
    for (int n = 1; !complete; n += n < 40 ? 3 : 97) {
        hl_opened_model run = opened(one);
        hl_heads_against against;
        faults_in_memory(n, FAULTS_ONCE);
        hl_status status = compare(&against, &run, one);
        complete = faults_allocations() < n;
        faults_in_memory(0, FAULTS_ONCE);
        ck_assert_msg(status.code == (complete ? HL_OK : HL_NO_MEMORY), "allocation %d: %s", n, status.text);
        ck_assert(complete || (against.path == NULL && against.page.bytes == NULL));
        hl_heads_against_free(&against);
        hl_opened_model_close(&run);
        ck_assert_msg(faults_live_blocks() == 0, "allocation %d: %d blocks lost", n, faults_live_blocks());
    }
    faults_end();
}

SUITE("two runs compared")
