/* The bytes as the text of `heads RUN --input`. What is taken has weights for every head. */
#include "core/base/memory.h"
#include "programs/heads/input.h"
#include "tests/fuzz/input_text.h"
#include "train/setup.h"

static const char config[] =
    "[task]\nname = copy\nlength = 3\nsymbols = 4\n[model]\nlayers = 1\nd_model = 8\nheads = 2\n"
    "[train]\nthreads = 1\n";

/* A run that was never on disk. */
static void make_run(hl_opened_model *run)
{
    hl_problems problems = { 0 };
    hl_config_options options = { .path = "fuzz.ini" };
    fuzz_require(hl_config_parse(options, config, sizeof config - 1, &run->source.config, &problems).code == HL_OK);
    hl_problems_free(&problems);
    hl_task_spec spec = hl_config_task_spec(&run->source.config);
    fuzz_require(hl_dataset_open(&spec, 1, &run->source.dataset).code == HL_OK);
    run->source.vocabulary = hl_dataset_vocabulary(run->source.dataset);
    run->source.shape = hl_setup_model(&run->source.config);
    run->source.threads = 1;
    run->source.slice = 1;
    fuzz_require(hl_model_init(&run->model, &run->source.shape).code == HL_OK);
    fuzz_require(hl_model_allocate(&run->model, 1).code == HL_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hl_opened_model run;
    if (run.source.dataset == NULL) {
        make_run(&run);
    }
    char *text = input_text(data, size);
    hl_heads_input input;
    if (hl_heads_input_run(&run, text, &input).code == HL_OK) {
        const hl_examples *example = &input.maps.examples;
        fuzz_require(example->n_examples == 1 && example->n_tokens >= 1 &&
                     example->n_tokens <= run.source.shape.max_length);
        hl_patterns head = hl_snapshot_patterns(&input.maps, 0, 1);
        hl_pattern pattern = hl_patterns_at(&head, 0);
        fuzz_require(hl_pattern_row(&pattern, 0)[0] >= 0);
        hl_heads_input_free(&input);
    }
    free(text);
    return 0;
}
