#include "core/base/memory.h"
#include "core/files/folders.h"
#include "programs/heads/examples.h"
#include "programs/heads/help.h"
#include "programs/heads/json.h"
#include "programs/heads/memory.h"
#include "programs/heads/table_files.h"
#include "programs/heads/verb.h"

static const hl_option options[] = {
    HL_HEADS_HELP_OPTIONS,
    { HL_HEADS_OPTION("wide", FLAG, wide) },
    { HL_HEADS_OPTION("step", INTEGER, step), .most = INT64_MAX },
    { HL_HEADS_OPTION("words", FLAG, words) },
    { HL_HEADS_OPTION("json", FILE, files.json) },
    { HL_HEADS_OPTION("csv", FILE, files.csv) },
    { HL_HEADS_OPTION("report", FILE, files.report) },
    { HL_HEADS_OPTION("examples", TEXT, examples) },
    { HL_HEADS_OPTION("out", TEXT, out) },
    { HL_HEADS_OPTION("overwrite", FLAG, overwrite) },
};

static hl_status memory(const hl_opened_model *model, const hl_heads_command *command, const hl_footprint *f,
                        size_t *bytes, const char **remedy)
{
    (void)model;
    (void)command;
    *bytes = hl_heads_study_bytes(f);
    *remedy = hl_heads_study_remedy(f);
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    hl_heads_table_files files = { .call = call };
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    HL_TRY(hl_heads_call_needs_examples(call));
    hl_status status = hl_heads_table_files_find_folder(&files);
    HL_THEN(status, hl_heads_call_read(call));
    HL_THEN(status, hl_heads_call_begin(call));
    HL_THEN(status, hl_heads_table_files_make(&files));
    hl_heads_table_files_free(&files);
    return status;
}

const hl_heads_verb hl_heads_verb_table = {
    .name = "table",
    .does = "what each head does: labels, scores, and the report",
    .example = "table runs/copy_task",
    .help = hl_heads_help_table,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .check = hl_heads_examples_check,
    .memory = memory,
    .run = run,
};
