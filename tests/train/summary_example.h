/* A config with its registered model and what --summary reads from it. */
#pragma once

#include "programs/train/graph.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/runs/shipped_configs.h"
#include "tests/scratch.h"
#include "tests/train/config_parsing.h"
#include "train/footprint.h"
#include "train/setup.h"
#include "train/setup_data.h"
#include "train/trainer.h"

enum { SUMMARY_MOST_CONFIGS = 64 };

/* The configs that come with the programs, "copy_task.ini", "shapes/gpt3.ini" and so on; returns how many. */
static inline int summary_configs(const char *names[SUMMARY_MOST_CONFIGS])
{
    int n = 0;
    for (int shapes = 0; shapes < 2; shapes++) {
        const char *list = run_list(shapes ? HL_CONFIGS "/shapes" : HL_CONFIGS);
        for (const char *at = list; *at != '\0'; at += strcspn(at, " ") + 1) {
            int length = (int)strcspn(at, " ");
            const char *name = scratch_format("%s%.*s", shapes ? "shapes/" : "", length, at);
            if (strstr(name, ".ini") != NULL) {
                ck_assert_int_lt(n, SUMMARY_MOST_CONFIGS);
                names[n++] = run_kept(name);
            }
        }
    }
    ck_assert_int_gt(n, 10);
    return n;
}

typedef struct summary_example {
    hl_config config;
    hl_model model; /* without numbers */
    hl_graph graph; /* of one part of a batch */
    hl_footprint footprint;
} summary_example;

/* Reads config->... of an example whose config is set. It must not be moved afterwards. */
static inline void summary_example_read(summary_example *example)
{
    hl_model_config model = hl_setup_model(&example->config);
    CHECK_OK(hl_model_init(&example->model, &model));
    const hl_batch largest = hl_trainer_largest(&example->config);
    CHECK_OK(hl_graph_read(&example->graph, &example->model, &largest));
    CHECK_OK(hl_footprint_of_config(&example->config, &example->footprint));
}

/* One of these. */
static inline void summary_config_load(const char *name, hl_config *config)
{
    hl_problems problems = { 0 };
    const char *file = shipped_config_file(name);
    hl_config_options options = { .path = run_shipped_config(name), .overrides = &file, .n_overrides = file != NULL };
    hl_status status = hl_config_load(options, config, &problems);
    CHECK_OK(status);
    hl_problems_free(&problems);
    if (hl_config_is_text(config, NULL)) {
        hl_dataset *dataset = NULL;
        CHECK_OK(hl_setup_data(
            config,
            &(hl_data_options){ .use = HL_DATA_CHECK, .folder = run_path("run"), .beside = run_shipped_config(name) },
            &dataset));
        hl_dataset_free(dataset);
    }
}

static inline void summary_example_load(const char *name, summary_example *example)
{
    summary_config_load(name, &example->config);
    summary_example_read(example);
}

static inline void summary_example_parse(const char *text, summary_example *example)
{
    config_parse(text, &example->config);
    summary_example_read(example);
}

static inline void summary_example_free(summary_example *example)
{
    hl_graph_free(&example->graph);
    hl_model_free(&example->model);
}
