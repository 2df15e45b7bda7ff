#include "programs/heads/examples.h"
#include "programs/heads/help.h"
#include "programs/heads/map_memory.h"
#include "programs/heads/maps.h"
#include "programs/heads/verb.h"

static const hl_option options[] = {
    HL_HEADS_HELP_OPTIONS,
    { HL_HEADS_OPTION("example", INTEGER, example), .most = INT64_MAX },
    { HL_HEADS_OPTION("input", TEXT, input) },
    { HL_HEADS_OPTION("examples", TEXT, examples) },
    HL_HEADS_TASK_OPTIONS,
    { HL_HEADS_OPTION("step", INTEGER, step), .most = INT64_MAX },
    { HL_HEADS_OPTION("words", FLAG, words) },
    { HL_HEADS_OPTION("png", TEXT, files.png) },
    { HL_HEADS_OPTION("svg", TEXT, files.svg) },
    { HL_HEADS_OPTION("pdf", TEXT, files.pdf) },
    { HL_HEADS_OPTION("json", FILE, files.json) },
    { HL_HEADS_OPTION("csv", FILE, files.csv) },
    { HL_HEADS_OPTION("npz", TEXT, files.npz) },
    { HL_HEADS_OPTION("bertviz", TEXT, files.bertviz) },
};

/* Maps are of one text, of sentences, or of a task's examples. */
static hl_status check(const hl_heads_command *command)
{
    bool input = command->input != NULL;
    if (input && command->step >= 0) {
        return hl_error(HL_INVALID, "command line: --input runs the last checkpoint's weights; leave --step out");
    }
    if (input && command->example >= 0) {
        return hl_error(HL_INVALID, "command line: --input and --example exclude each other: an input is one text");
    }
    return hl_heads_examples_check(command);
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    HL_TRY(call->command.input != NULL ? hl_ok() : hl_heads_call_needs_examples(call));
    HL_TRY(hl_heads_call_read(call));
    HL_TRY(hl_heads_call_begin(call));
    return hl_heads_show(&call->model, &call->command, call->out);
}

const hl_heads_verb hl_heads_verb_map = {
    .name = "map",
    .does = "where heads look: maps in the terminal, as figures or as arrays",
    .example = "map runs/copy_task L1H0",
    .help = hl_heads_help_map,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .object = "HEAD",
    .check = check,
    .memory = hl_heads_map_memory,
    .run = run,
};
