#include "programs/train/summary.h"

#include "core/base/units.h"
#include "core/files/json.h"
#include "core/kernels/bf16.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/runs/answers.h"
#include "tests/scratch.h"
#include "tests/train/counting_allocator.h"
#include "tests/train/summary_example.h"

/* Stands to the end of the test. */
static char *summary_of(const hl_config *config)
{
    hl_text *text = scratch_text();
    CHECK_OK(hl_summary_write(config, false, text));
    return text->bytes;
}

static json_t *json_of(const hl_config *config)
{
    hl_text *text = scratch_text();
    CHECK_OK(hl_summary_write(config, true, text));
    return answer_json(text->bytes);
}

static char *parse_and_sum_up(const char *ini)
{
    static hl_config config;
    config_parse(ini, &config);
    return summary_of(&config);
}

#define SMALL                                                                         \
    "[task]\nname = identity_copy\nlength = 5\nsymbols = 4\n"                         \
    "[model]\nlayers = 4\nd_model = 8\nheads = 2, 2, 2, 4\nkv_heads = 2\nd_ff = 16\n" \
    "dropout_residual = 0.1\n[train]\nbatch_size = 6\nthreads = 1\n[optimizer]\naccumulate = 2\n"

/* Worked out by hand: 216 = 24 * 8 + 24, 172,800 = 6 * 30 * 8 * (3 * 32 + 24). */
static const char SMALL_SUMMARY[] = "The data's way through a training step: B=3 examples (a part of the batch) of\n"
                                    "T=5 tokens, vocabulary V=7, d_model D=8, d_ff F=16, heads H differing by layer,\n"
                                    "key/value heads Hkv=2, widths Dk differing by layer and Dv differing by layer.\n"
                                    "\n"
                                    "module        what                  shape         parameters\n"
                                    "              tokens (B, T)         (3, 5)\n"
                                    "embedding     embedding             (15, 8)               56\n"
                                    "              scale                 (15, 8)\n"
                                    "positions     sum                   (15, 8)\n"
                                    "encoder.layers.0 .. 2, each                              600\n"
                                    "  norm1       layer norm            (15, 8)               16\n"
                                    "  self_attn   linear W_Q, W_K, W_V  (15, 24)             216\n"
                                    "              q (B, H, T, Dk)       (3, 2, 5, 4)\n"
                                    "              k (B, H, T, Dk)       (3, 2, 5, 4)\n"
                                    "              v (B, H, T, Dv)       (3, 2, 5, 4)\n"
                                    "              weights (B, H, T, T)  (3, 2, 5, 5)\n"
                                    "              z (B, H, T, Dv)       (3, 2, 5, 4)\n"
                                    "              heads side by side    (15, 8)\n"
                                    "    out_proj  linear W_O            (15, 8)               72\n"
                                    "              dropout               (15, 8)\n"
                                    "              residual sum          (15, 8)\n"
                                    "  norm2       layer norm            (15, 8)               16\n"
                                    "  linear1     linear                (15, 16)             144\n"
                                    "              relu                  (15, 16)\n"
                                    "  linear2     linear                (15, 8)              136\n"
                                    "              dropout               (15, 8)\n"
                                    "              residual sum          (15, 8)\n"
                                    "encoder.layers.3                                         528\n"
                                    "  norm1       layer norm            (15, 8)               16\n"
                                    "  self_attn   linear W_Q            (15, 8)               72\n"
                                    "              linear W_K            (15, 4)               36\n"
                                    "              linear W_V            (15, 4)               36\n"
                                    "              q (B, H, T, Dk)       (3, 4, 5, 2)\n"
                                    "              k (B, Hkv, T, Dk)     (3, 2, 5, 2)\n"
                                    "              v (B, Hkv, T, Dv)     (3, 2, 5, 2)\n"
                                    "              weights (B, H, T, T)  (3, 4, 5, 5)\n"
                                    "              z (B, H, T, Dv)       (3, 4, 5, 2)\n"
                                    "              heads side by side    (15, 8)\n"
                                    "    out_proj  linear W_O            (15, 8)               72\n"
                                    "              dropout               (15, 8)\n"
                                    "              residual sum          (15, 8)\n"
                                    "  norm2       layer norm            (15, 8)               16\n"
                                    "  linear1     linear                (15, 16)             144\n"
                                    "              relu                  (15, 16)\n"
                                    "  linear2     linear                (15, 8)              136\n"
                                    "              dropout               (15, 8)\n"
                                    "              residual sum          (15, 8)\n"
                                    "targets       rows with a target    (15, 8)\n"
                                    "encoder.norm  layer norm            (15, 8)               16\n"
                                    "output        logits                (15, 7)               63\n"
                                    "              loss (cross-entropy)  ()\n"
                                    "\n"
                                    "Parameters\n"
                                    "  embedding                         56     2.3 %\n"
                                    "  encoder.layers                 2,328    94.5 %\n"
                                    "  encoder.norm                      16     0.6 %\n"
                                    "  output                            63     2.6 %\n"
                                    "  in all                         2,463\n"
                                    "\n"
                                    "Floating-point operations of an update, N = 30 tokens: its matrix products, a\n"
                                    "multiply-add counting 2 and backward twice as much as forward. The first three\n"
                                    "formulas are one layer's, the figures all layers'.\n"
                                    "  projections   6 N D (H Dk + Hkv Dk + Hkv Dv + H Dv)  172.80 KFLOP    40.7 %\n"
                                    "  attention     6 N T H (Dk + Dv)                       57.60 KFLOP    13.6 %\n"
                                    "  feed-forward  12 N D F                               184.32 KFLOP    43.4 %\n"
                                    "  output        6 N D V                                 10.08 KFLOP     2.4 %\n"
                                    "  in all                                               424.80 KFLOP\n";

TEST(small_model_reads_so)
{
    char *text = parse_and_sum_up(SMALL);
    char *memory = strstr(text, "\nMemory of the run");
    ck_assert_ptr_nonnull(memory);
    *memory = '\0'; /* what follows depends on how the tape keeps its records */
    ck_assert_str_eq(text, SMALL_SUMMARY);
}

TEST(what_is_multiplied_in_bf16_is_said)
{
    static hl_config config;
    config_parse(SMALL, &config);
    config.train.precision = HL_PRECISION_AUTO;
    bool here = hl_bf16_missing() == NULL;
    char *text = summary_of(&config);
    ck_assert((strstr(text, "All but attention's multiply in bf16, with sums in float.\n") != NULL) == here);
    ck_assert_str_eq(text_at(json_of(&config), "precision"), here ? "bf16" : "float");
}

static void assert_width(const char *text, const char *name)
{
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        ck_assert_msg(length <= HL_SUMMARY_WIDTH, "%s: %.*s", name, (int)length, line);
        ck_assert_msg(length == 0 || line[length - 1] != ' ', "%s: a space ends %.*s", name, (int)length, line);
        for (size_t i = 0; i < length; i++) {
            ck_assert_msg(line[i] >= ' ' && line[i] <= '~', "%s: %.*s", name, (int)length, line);
        }
        ck_assert_msg(line[length] == '\n', "%s: the last line has no end", name);
        line += length + 1;
    }
}

/* A line that begins with `label` and holds `number`. */
static void assert_line(const char *text, const char *label, const char *number)
{
    const char *start = scratch_format("\n%s", label);
    const char *line = strstr(text, start);
    ck_assert_msg(line != NULL, "no line \"%s\" in\n%s", label, text);
    const char *found = strstr(line + 1, number);
    ck_assert_msg(found != NULL && (size_t)(found - line - 1) < strcspn(line + 1, "\n"), "no %s in line \"%s\" of\n%s",
                  number, label, text);
}

TEST(every_config_fits_a_terminal)
{
    static hl_config config;
    const char *names[SUMMARY_MOST_CONFIGS];
    int n = summary_configs(names);
    for (int i = 0; i < n; i++) {
        summary_config_load(names[i], &config);
        char *text = summary_of(&config);
        assert_width(text, names[i]);
    }
}

TEST(published_models_show_their_parameters)
{
    static const struct {
        const char *config, *label, *number;
    } cases[] = {
        { "shapes/transformer_base.ini", "  encoder.layers ", " 18,914,304 " },
        { "shapes/transformer_base.ini", "encoder.layers.0 .. 5, each ", " 3,152,384" },
        { "shapes/bert_base.ini", "  encoder.layers ", " 85,054,464 " },
        { "shapes/bert_large.ini", "encoder.layers.0 .. 23, each ", " 12,596,224" },
        { "shapes/gpt2_small.ini", "  encoder.layers ", " 85,054,464 " },
        { "shapes/gpt2_small.ini", "  in all ", " 124,439,808" },
        { "shapes/gpt2_small.ini", "  output ", "(the embedding's matrix)" },
        { "shapes/gpt3.ini", "encoder.layers.0 .. 95, each ", " 1,812,099,072" },
        { "shapes/gpt3.ini", "              weights (B, H, T, T) ", "(1, 96, 2048, 2048)" },
        { "shapes/llama2_7b_attention.ini", "              weights (B, H, T, T) ", "(1, 32, 4096, 4096)" },
    };
    static hl_config config;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        summary_config_load(cases[i].config, &config);
        char *text = summary_of(&config);
        assert_line(text, cases[i].label, cases[i].number);
    }
}

TEST(only_equal_layers_are_folded)
{
    char *text = parse_and_sum_up("[model]\nlayers = 6\nheads = 4, 2, 2, 4, 4, 4\n");
    assert_line(text, "encoder.layers.0 ", " 49,984");
    assert_line(text, "encoder.layers.1 .. 2, each ", " 49,984");
    assert_line(text, "encoder.layers.3 .. 5, each ", " 49,984");
    assert_line(text, "  encoder.layers ", " 299,904 ");
}

TEST(takes_little_memory_itself)
{
    counting_begin();
    static hl_config config;
    const char *names[SUMMARY_MOST_CONFIGS];
    int n = summary_configs(names);
    for (int i = 0; i < n; i++) {
        summary_config_load(names[i], &config);
        size_t records = ((size_t)config.model.n_layers + 1) * 64 * 1024; /* of the tape: hl_model_record_bytes */
        counting_peak = counting_live;
        hl_text text = { 0 };
        CHECK_OK(hl_summary_write(&config, false, &text));
        hl_text_free(&text);
        ck_assert_msg(counting_peak < 2 * records + (1 << 20) && counting_peak < 64 << 20, "%s: %zu bytes", names[i],
                      counting_peak);
        ck_assert_uint_eq(counting_live, 0);
    }
}

TEST(without_snapshots_none_is_told)
{
    char *text = parse_and_sum_up("[patterns]\nexamples = 0\n");
    ck_assert(strstr(text, "recorder") == NULL && strstr(text, "snapshot") == NULL);
    text = parse_and_sum_up("[patterns]\nexamples = 1\n[train]\nsteps = 10\n");
    assert_line(text, "  recorder: ", "iB");
    assert_line(text, "  up to 11 snapshots, each ", "iB"); /* all there are */
    assert_line(text, "    together ", "iB");
    assert_line(text, "    allowed by patterns.budget_mb ", "256.0 MiB");
    text = parse_and_sum_up("[patterns]\nexamples = 1\nevery = 5\n[train]\nsteps = 10\n");
    assert_line(text, "  3 snapshots, each ", "iB"); /* 0, 5, 10 */
    text = parse_and_sum_up("[patterns]\nexamples = 1\nbudget_mb = 0\n");
    ck_assert_ptr_null(strstr(text, "budget_mb"));
}

TEST(memory_is_the_footprint)
{
    static summary_example example;
    summary_example_parse("[train]\nkeep_checkpoints = 2\n[model]\nlayers = 5\n", &example);
    const hl_footprint *f = &example.footprint;
    char *text = summary_of(&example.config), number[HL_UNITS_TEXT];
    const char *memory = strstr(text, "Memory of the run");
    assert_line(memory, "  weights ", hl_units_bytes(f->weights, number));
    assert_line(memory, "  gradients ", hl_units_bytes(f->gradients, number));
    assert_line(memory, "  the optimizer's moments ", hl_units_bytes(f->moments, number));
    assert_line(memory, "  a step's activations", hl_units_bytes(f->step, number));
    assert_line(memory, "  batches ", hl_units_bytes(f->batches, number));
    assert_line(memory, "  recorder: ", hl_units_bytes(f->recorder, number));
    assert_line(memory, "  statistics of heads ", hl_units_bytes(f->validation_sums, number));
    assert_line(memory, "  table of positions ", hl_units_bytes(f->positions, number));
    assert_line(memory, "  vocabulary ", hl_units_bytes(f->vocabulary, number));
    assert_line(memory, "  training ", hl_units_bytes(f->training, number));
    assert_line(memory, "  metrics and maps of snapshots", hl_units_bytes(f->readings, number));
    assert_line(memory, "  the last snapshot ", hl_units_bytes(f->measures, number));
    assert_line(memory, "  measuring heads at the end", hl_units_bytes(f->end, number));
    assert_line(memory, "  in all ", hl_units_bytes(f->total, number));
    assert_line(memory, "  1 file of weights ", hl_units_bytes(f->model, number));
    assert_line(memory, "  3 checkpoints, each ", hl_units_bytes(f->checkpoint, number));
    assert_line(memory, "    together ", hl_units_bytes(3 * f->checkpoint, number));
    summary_example_free(&example);
}

static void expect_failures_told(const hl_config *config, bool json)
{
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_text text = { 0 };
        fault_checks_turn(hl_summary_write(config, json, &text));
        hl_text_free(&text);
    }
    ck_assert_int_gt(n - 1, 20); /* the last turn fails nowhere */
}

TEST(every_failing_allocation_is_told)
{
    static hl_config config;
    hl_json_use_allocator();
    faults_begin();
    config_parse(SMALL, &config);
    expect_failures_told(&config, false);
    expect_failures_told(&config, true);
    faults_end();
}

TEST(as_json_it_holds_the_same_figures)
{
    summary_example example;
    summary_example_parse(SMALL, &example);
    hl_footprint footprint;
    CHECK_OK(hl_footprint_of_config(&example.config, &footprint));
    json_t *root = json_of(&example.config), *rows = json_object_get(root, "rows"),
           *memory = json_object_get(root, "memory_bytes");
    ck_assert_uint_eq(json_array_size(rows), (size_t)example.graph.n);
    json_int_t parameters = 0;
    for (int i = 0; i < example.graph.n; i++) {
        json_t *row = json_array_get(rows, (size_t)i), *shape = json_object_get(row, "shape");
        ck_assert_str_eq(text_at(row, "module"), example.graph.rows[i].module);
        ck_assert_str_eq(text_at(row, "what"), example.graph.rows[i].what);
        ck_assert_uint_eq(json_array_size(shape), (size_t)example.graph.rows[i].shape.n_dims);
        parameters += json_integer_value(json_object_get(row, "parameters"));
    }
    ck_assert_int_eq(parameters, hl_parameters_count(&example.model.parameters));
    ck_assert_int_eq(json_integer_value(json_object_get(root, "parameters")), parameters);
    ck_assert_double_eq(json_number_value(json_object_get(root, "flops_per_step")), footprint.flops);
    ck_assert_int_eq(json_integer_value(json_object_get(memory, "total")), (json_int_t)footprint.total);
    ck_assert_int_eq(json_integer_value(json_object_get(memory, "step")), (json_int_t)footprint.step);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(root, "file_bytes"), "checkpoint")),
                     (json_int_t)footprint.checkpoint);
    summary_example_free(&example);
}

TEST(several_processes_are_told_where_there_are_leaves)
{
    static summary_example example;
    summary_example_parse("[train]\nbatch_size = 16\nleaves = 4\nthreads = 1\n", &example);
    char *text = summary_of(&example.config), weights[HL_UNITS_TEXT], line[128];
    hl_units_bytes(example.footprint.weights, weights);
    snprintf(line, sizeof line,
             "  processes   leaves of one   memory of one   sent by one\n          2               2");
    ck_assert_msg(strstr(text, line) != NULL, "%s", text);
    snprintf(line, sizeof line, "%14s\n          3               2", weights); /* two send one subtree to the first */
    ck_assert_msg(strstr(text, line) != NULL, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "\n          4               1"));
    ck_assert_ptr_null(strstr(text, "\n          5 "));
    json_t *all = json_object_get(json_of(&example.config), "processes"), *two = json_array_get(all, 0);
    ck_assert_uint_eq(json_array_size(all), 3);
    ck_assert_int_eq(json_integer_value(json_object_get(two, "processes")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(two, "sent_bytes")), (json_int_t)example.footprint.weights);
    hl_footprint of_two;
    CHECK_OK(hl_footprint_of(&example.config, HL_FOR_TRAINING, 2, -1, &of_two));
    ck_assert_int_eq(json_integer_value(json_object_get(two, "memory_bytes")), (json_int_t)of_two.total);
    ck_assert_uint_lt(of_two.step, example.footprint.step); /* of two leaves, where one process has four */
    ck_assert_uint_eq(of_two.gradients, 2 * example.footprint.gradients); /* its own, and what it receives */
    summary_example_free(&example);
}

SUITE("summary")
