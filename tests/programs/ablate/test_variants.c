/* Which overrides each variant of a sweep consists of, in which order. */
#include "programs/ablate/variants.h"

#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 4096 };

/* Settings as they come: "a=1 b=2;" each; more than `most` of them are refused. */
typedef struct seen {
    char text[TEXT];
    int n, most;
} seen;

static hl_status see(void *context, const hl_ablate_settings *settings)
{
    seen *s = context;
    if (++s->n > s->most) {
        return hl_error(HL_FAILED, "enough");
    }
    for (int i = 0; i < settings->n; i++) {
        size_t used = strlen(s->text);
        snprintf(s->text + used, TEXT - used, "%s%s", i > 0 ? " " : "", settings->texts[i]);
    }
    strcat(s->text, ";");
    return hl_ok();
}

static hl_config base_of(const char *model)
{
    hl_config config;
    hl_problems problems = { 0 };
    const char *text = scratch_format("[task]\nlength = 3\nsymbols = 4\n[model]\nd_model = 16\nheads = 4\n%s", model);
    const char *path = run_config("base.ini", text);
    CHECK_OK(hl_config_load((hl_config_options){ .path = path }, &config, &problems));
    return config;
}

static hl_ablate_command command_of(const char *key, const char *values)
{
    hl_ablate_command command = { .seeds = 1, .n_axes = 1 };
    snprintf(command.axes[0].key, sizeof command.axes[0].key, "%s", key);
    command.axes[0].values = values;
    return command;
}

static hl_status each(const hl_ablate_command *command, const char *model, int most, seen *s)
{
    hl_config base = base_of(model);
    *s = (seen){ .most = most };
    return hl_ablate_variants_each(command, &base, see, s);
}

TEST(the_last_axis_changes_fastest_and_values_are_trimmed)
{
    hl_ablate_command command = command_of("model.dropout", " 0, 0.1 ");
    command.axes[command.n_axes++] = (hl_ablate_axis){ "model.layers", "1,2" };
    seen s;
    CHECK_OK(each(&command, "", 9, &s));
    ck_assert_str_eq(s.text, "model.dropout=0 model.layers=1;model.dropout=0 model.layers=2;"
                             "model.dropout=0.1 model.layers=1;model.dropout=0.1 model.layers=2;");
}

TEST(widths_and_keys_follow_the_heads_unless_they_vary_or_are_shared)
{
    hl_ablate_command command = command_of("model.heads", "2");
    seen s;
    CHECK_OK(each(&command, "", 9, &s));
    ck_assert_str_eq(s.text, "model.heads=2;"); /* --vary */
    command.row_a = true;
    CHECK_OK(each(&command, "", 9, &s));
    ck_assert_str_eq(s.text, "model.heads=2 model.d_k=0 model.d_v=0 model.kv_heads=0;");
    CHECK_OK(each(&command, "kv_heads = 2\n", 9, &s));
    ck_assert_str_eq(s.text, "model.heads=2 model.d_k=0 model.d_v=0;");
    command.axes[command.n_axes++] = (hl_ablate_axis){ "model.d_k", "8" };
    CHECK_OK(each(&command, "", 9, &s));
    ck_assert_str_eq(s.text, "model.heads=2 model.d_k=8 model.d_v=0 model.kv_heads=0;");
}

TEST(a_failure_of_the_taker_ends_it)
{
    hl_ablate_command command = command_of("model.layers", "1,2,3,4");
    seen s;
    ck_assert_str_eq(each(&command, "", 2, &s).text, "enough");
    ck_assert_str_eq(s.text, "model.layers=1;model.layers=2;");
    command = (hl_ablate_command){ .table3 = true, .seeds = 1 };
    ck_assert_str_eq(each(&command, "", 0, &s).text, "enough");
    ck_assert_int_eq(s.n, 1);
}

TEST(what_cannot_be_set_is_refused)
{
    char many[HL_ABLATE_SETTING_TEXT];
    memset(many, '1', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    hl_ablate_command command = command_of("model.layers", many);
    seen s;
    message_check(each(&command, "", 9, &s), HL_INVALID, "ablate.model_layers_a_value_is_longer");
    command.axes[0].values = "1,,2";
    hl_status status = each(&command, "", 9, &s);
    ck_assert_str_eq(status.text, "command line: model.layers: a value is missing, as in model.layers=1,2,4");
    ck_assert_str_eq(s.text, "model.layers=1;");
    command.axes[0].values = "1,2";
    command.seeds = HL_ABLATE_MAX_CELLS / 2 + 1;
    status = each(&command, "", 9, &s);
    ck_assert(status.code == HL_INVALID && strstr(status.text, "more than 2000 trainings") != NULL && s.n == 0);
}

TEST(the_keys_are_those_that_vary)
{
    hl_ablate_command command = command_of("model.heads", "2");
    hl_ablate_plan plan = { 0 };
    hl_config usual = base_of(""), wide = base_of("d_k = 16\n");
    command.row_a = true;
    CHECK_OK(hl_ablate_variants_keys(&command, &usual, &plan));
    ck_assert_int_eq(plan.n_keys, 1);
    ck_assert_str_eq(hl_ablate_key_label(plan.keys[0]), "heads");
    plan.n_keys = 0;
    ck_assert_int_eq(hl_ablate_variants_keys(&command, &wide, &plan).code, HL_OK); /* --heads sets the usual widths */
    ck_assert_int_eq(plan.n_keys, 3);
    ck_assert_str_eq(hl_ablate_key_label(plan.keys[2]), "d_v");
    command = command_of("model.haeds", "2");
    ck_assert_int_eq(hl_ablate_variants_keys(&command, &usual, &plan).code, HL_INVALID);
}

SUITE("ablate_variants")
