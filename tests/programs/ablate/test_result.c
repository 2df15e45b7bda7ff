#include "core/files/folders.h"
#include "programs/ablate/result.h"
#include "tests/messages.h"
#include "tests/programs/ablate/tiny_plan.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second\n"

static const hl_config_train trained = { .steps = 60 };

/* A folder with this metrics.csv. */
static const char *folder_with(const char *metrics)
{
    const char *folder = run_path("run");
    hl_folder_make(folder);
    scratch_write(run_file(folder, "metrics.csv"), metrics, strlen(metrics));
    return folder;
}

TEST(the_last_validation_and_the_first_at_the_target_count)
{
    const char *folder = folder_with(HEADER "0,validation,3,0.1,,,5\n10,train,2,0.99,0.1,1,5\n20,validation,1,0.5,,,5\n"
                                            "40,validation,0.75,0.9,,,5\n60,validation,0.5,0.625,,,5\n"
                                            "60,train,0.1,1,0.1,1,5\n");
    hl_ablate_result result = { .state = HL_ABLATE_DONE, .seconds = 7 };
    CHECK_OK(hl_ablate_result_read(folder, &trained, 0.9, &result));
    ck_assert(result.steps == 60 && result.loss == 0.5 && result.accuracy == 0.625 && result.steps_to_target == 40);
    ck_assert(result.state == HL_ABLATE_DONE && result.seconds == 7);
    CHECK_OK(hl_ablate_result_read(folder, &trained, 0.95, &result));
    ck_assert_int_eq(result.steps_to_target, -1);
    CHECK_OK(hl_ablate_result_read(folder, &trained, 0.05, &result));
    ck_assert_int_eq(result.steps_to_target, 0);
}

TEST(a_bad_row_is_named_by_its_line)
{
    static const char *const rows[] = {
        "x,validation,1,0.5,,,5\n",
        "20,validation,1\n",
        "20,validation,nan,0.5,,,5\n",
        "20,validation,1,1.5,,,5\n",
        "-1,validation,1,0.5,,,5\n",
        "20,VALID,1,0.5,,,5\n",
        "\n",
        "20,validation,1,0.5,,,5", /* and the next row with it */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, HEADER "0,validation,3,0.1,,,5\n%s40,validation,1,0.5,,,5\n", rows[i]);
        hl_ablate_result result;
        hl_status status = hl_ablate_result_read(folder_with(text), &trained, 0.9, &result);
        ck_assert_msg(status.code == HL_BAD_FILE, "%s: %d", rows[i], status.code);
        message_check(status, HL_BAD_FILE, "ablate.not_a_row_of_a_metrics");
    }
}

static void expect_refused(const char *text, size_t size, const char *message)
{
    const char *folder = folder_with("");
    scratch_write(run_file(folder, "metrics.csv"), text, size);
    hl_ablate_result result;
    CHECK_FAILS(hl_ablate_result_read(folder, &trained, 0.9, &result), HL_BAD_FILE, message);
}

TEST(what_is_cut_off_or_none_of_a_metrics_is_refused)
{
    static const char cut[] = HEADER "0,validation,3,0.1,,,5\n20,validation,1,0.5,,,5",
                      foreign[] = "a,b\n0,validation,3,0.1,,,5\n", zero[] = HEADER "0,validation,3,0.1,,,5\n\0\n";
    expect_refused(cut, sizeof cut - 1, "metrics.csv:3: not a row");
    expect_refused(foreign, sizeof foreign - 1, "metrics.csv:1: not the header");
    expect_refused(zero, sizeof zero - 1, "metrics.csv:3: not a row");
}

TEST(a_run_without_a_validation_has_no_result)
{
    hl_ablate_result result;
    static const char *const texts[] = { "", HEADER, HEADER "10,train,1,0.5,1,1,5\n" };
    for (int i = 0; i < 3; i++) {
        message_check(hl_ablate_result_read(folder_with(texts[i]), &trained, 0.9, &result), HL_BAD_FILE,
                      "ablate.no_validation_in_it_remove_this");
    }
    ck_assert_int_eq(hl_ablate_result_read(run_path("nowhere"), &trained, 0.9, &result).code, HL_BAD_FILE);
}

TEST(a_step_that_goes_back_is_named_by_its_line)
{
    static const char text[] = HEADER "0,validation,3,0.1,,,5\n60,train,1,0.5,0.1,1,5\n60,validation,1,0.5,,,5\n"
                                      "5,validation,0.1,1,,,5\n";
    expect_refused(text, sizeof text - 1, "metrics.csv:5: step 5 after step 60");
}

/* Validations of these losses, 10 steps apart. */
static hl_status read_losses(const hl_config_train *train, const char *losses, hl_ablate_result *result)
{
    char text[1024] = HEADER;
    for (int i = 0; losses[i] != '\0'; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d,validation,%c,0.5,,,5\n", 10 * i, losses[i]);
    }
    return hl_ablate_result_read(folder_with(text), train, 0.9, result);
}

TEST(rows_that_end_before_the_training_are_no_result)
{
    hl_ablate_result result = { .steps = 7, .loss = 7, .steps_to_target = 7 };
    message_check(read_losses(&trained, "765432", &result), HL_BAD_FILE, "ablate.its_last_validation_is_of_step");
    ck_assert(result.steps == 7 && result.loss == 7 && result.steps_to_target == 7);
    CHECK_OK(read_losses(&trained, "7654321", &result));
    ck_assert(result.steps == 60 && result.loss == 1);
    ck_assert_int_eq(read_losses(&trained, "76543211", &result).code, HL_BAD_FILE); /* nor those that go further */
}

TEST(rows_that_end_with_the_patience_are_a_result)
{
    static const hl_config_train patient = { .steps = 60, .patience = 2 };
    hl_ablate_result result;
    ck_assert_int_eq(read_losses(&patient, "7655", &result).code, HL_BAD_FILE);
    CHECK_OK(read_losses(&patient, "76567", &result));
    ck_assert(result.steps == 40 && result.loss == 7);
    ck_assert_int_eq(read_losses(&patient, "7656", &result).code, HL_BAD_FILE);
    CHECK_OK(read_losses(&patient, "76566", &result));
    ck_assert_int_eq(read_losses(&patient, "765664", &result).code, HL_BAD_FILE);
    CHECK_OK(read_losses(&patient, "7656436", &result));
    ck_assert_int_eq(read_losses(&patient, "76564366", &result).code, HL_BAD_FILE);
}

TEST(a_glimpse_is_the_last_whole_row)
{
    ck_assert_int_eq(hl_ablate_glimpse_of(run_path("nowhere")).step, -1);
    ck_assert_int_eq(hl_ablate_glimpse_of(folder_with(HEADER)).step, -1);
    char text[8192] = HEADER;
    for (int i = 0; i < 100; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d,train,%d.5,0.25,0.1,1,5\n", 10 * i, i);
    }
    strcat(text, "1000,train,7,0.");
    hl_ablate_glimpse glimpse = hl_ablate_glimpse_of(folder_with(text));
    ck_assert(glimpse.step == 990 && glimpse.loss == 99.5 && glimpse.accuracy == 0.25);
}

/* ---- ablation.csv ---- */

enum { CELLS = 4 };

static const hl_ablate_result some[CELLS] = {
    { HL_ABLATE_DONE, 24, 0.5, 0.75, 12, 1.25 },
    { HL_ABLATE_FAILED, -1, 0, 0, -1, NAN },
    { HL_ABLATE_WAITING, -1, 0, 0, -1, NAN },
    { HL_ABLATE_DONE, 24, 1, 0.25, -1, NAN },
};

TEST(the_csv_holds_what_has_ended)
{
    hl_ablate_plan *plan = tiny_plan("2,4", 2);
    hl_text *text = scratch_text();
    CHECK_OK(hl_ablate_csv_print(plan, some, text));
    long long n = plan->variants[0].parameters;
    double flops = plan->variants[0].flops;
    const char *expected = scratch_format(
        "cell,seed,heads,parameters,flops_per_step,steps,validation_loss,perplexity,accuracy,steps_to_target,"
        "seconds,status\n"
        "base,1,2,%lld,%.0f,24,0.5,1.64872127,0.75,12,1.250,done\n"
        "base,2,2,%lld,%.0f,,,,,,,failed\n"
        "heads=4,2,4,%lld,%.0f,24,1,2.71828183,0.25,,,done\n",
        n, flops, n, flops, n, flops);
    ck_assert_str_eq(text->bytes, expected);
}

TEST(the_csv_remembers_what_is_done_and_its_seconds)
{
    hl_ablate_plan *plan = tiny_plan("2,4", 2);
    hl_text *text = scratch_text();
    hl_ablate_csv_print(plan, some, text);
    const char *path = run_path("ablation.csv");
    hl_ablate_result found[CELLS] = { { 0 } };
    ck_assert_int_eq(hl_ablate_csv_read(path, plan, found).code, HL_OK); /* no file yet */
    scratch_write(path, text->bytes, text->size);
    CHECK_OK(hl_ablate_csv_read(path, plan, found));
    ck_assert(found[0].state == HL_ABLATE_DONE && found[0].seconds == 1.25);
    ck_assert(found[1].state == HL_ABLATE_FAILED && found[2].state == HL_ABLATE_WAITING);
    ck_assert(found[3].state == HL_ABLATE_DONE && isnan(found[3].seconds));
}

TEST(a_csv_of_something_else_is_refused)
{
    /* Another key than this plan's varies in the last one. */
    static const char other[] = "cell,seed,d_k,parameters,flops_per_step,steps,validation_loss,perplexity,accuracy,"
                                "steps_to_target,seconds,status\n";
    static const char *const texts[] = { "", "cell,seed\n", other };
    static const char *const rows[] = { "heads=8,1,8,1,1,1,1,1,1,,1,done\n",
                                        "base,3,2,1,1,1,1,1,1,,1,done\n",
                                        "base,1,2,1,1",
                                        "base,1\n",
                                        "\n",
                                        "base,1,2,1,1,1,1,1,1,,1,done",
                                        "base,1,2,1,1,1,1,1,1,1,done\n",
                                        "base,1,2,1,1,1,1,1,1,,1,1,done\n",
                                        "base,1,2,1,1,1,1,1,1,,1,done2\n",
                                        "base,1,2,1,1,1,1,1,1,,1,\n",
                                        "base,1,2,1,1,1,1,1,1,,inf,done\n",
                                        "base,1,2,1,1,1,1,1,1,,-1,done\n",
                                        "base,1,2,1,1,1,1,1,1,,1x,done\n",
                                        "base,\n1,2,1,1,1,1,1,1,,1,done\n",
                                        "base, 1,2,1,1,1,1,1,1,,1,done\n" };
    hl_ablate_plan *plan = tiny_plan("2,4", 2);
    hl_ablate_result found[CELLS] = { { 0 } };
    const char *path = run_path("ablation.csv");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scratch_write(path, texts[i], strlen(texts[i]));
        CHECK_FAILS(hl_ablate_csv_read(path, plan, found), HL_BAD_FILE, "ablation.csv:1: ");
    }
    hl_text *header = scratch_text();
    hl_ablate_csv_print(plan, found, header);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = scratch_format("%s%s", header->bytes, rows[i]);
        scratch_write(path, text, strlen(text));
        hl_status status = hl_ablate_csv_read(path, plan, found);
        ck_assert_msg(status.code == HL_BAD_FILE, "%s", rows[i]);
        CHECK_FAILS(status, HL_BAD_FILE, "ablation.csv:2: ");
    }
    hl_text_add(header, "base,1,2,1,1,1,1,1,1,,1,done\n", 29);
    scratch_write(path, header->bytes, header->size);
    ck_assert_int_eq(hl_ablate_csv_read(path, plan, found).code, HL_OK); /* what the others are not */
    static const char *const further[] = { "base,1,2,1,1,1,1,1,1,,1,failed\n", "base,2,2,1,1,1,1,1,1,,1,done\n" };
    for (int i = 0; i < 2; i++) { /* the same row again; the next one, with this one after it */
        const char *text = scratch_format("%s%s%s", header->bytes, further[i], i == 1 ? further[0] : "");
        scratch_write(path, text, strlen(text));
        hl_status status = hl_ablate_csv_read(path, plan, found);
        ck_assert_msg(strstr(status.text, i == 0 ? "ablation.csv:3: " : "ablation.csv:4: ") != NULL, "%s", status.text);
    }
    hl_text_add(header, "\0\n", 2);
    scratch_write(path, header->bytes, header->size);
    ck_assert_int_eq(hl_ablate_csv_read(path, plan, found).code, HL_BAD_FILE);
}

SUITE("ablate_result")
