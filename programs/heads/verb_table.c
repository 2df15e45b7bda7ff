#include "core/base/memory.h"
#include "core/files/folders.h"
#include "programs/heads/examples.h"
#include "programs/heads/json.h"
#include "programs/heads/memory.h"
#include "programs/heads/table_files.h"
#include "programs/heads/verb.h"

static const char usage[] = "usage: {heads} table MODEL [options]     (or {heads} MODEL [options])\n"
                            "\n"
                            "Prints one row per attention head: its label, how well the label fits, and how\n"
                            "much the loss grows without the head. It also renews two files in the run's\n"
                            "folder: heads.csv with all metrics at all snapshots, and report.html, a page\n"
                            "for the browser. The run may still be training.\n"
                            "\n"
                            "MODEL is a run's folder, as in runs/copy_task. With --examples it may also be\n"
                            "an open model's folder in the layout of Hugging Face: bert (MiniLM), distilbert,\n"
                            "electra, roberta or gpt2.\n"
                            "\n"
                            "  --wide            print all columns\n"
                            "  --step S          use the snapshot of step S instead of the last one\n"
                            "  --words           measure words instead of their pieces (text only);\n"
                            "                    attention to special tokens is dropped\n"
                            "  --json [FILE]     write the table as JSON\n"
                            "  --csv [FILE]      write heads.csv to FILE; with --step only that step's rows\n"
                            "  --report [FILE]   write report.html to FILE\n"
                            "                    (without FILE, or with -: to standard output, alone)\n"
                            "\n"
                            "Sentences of your own:\n"
                            "  --examples FILE   measure the heads on the first sentences of a text file (one\n"
                            "                    sentence a line) or a treebank (CoNLL-U). Each score stands\n"
                            "                    beside its null: the score with untrained weights. heads.csv\n"
                            "                    and report.html go to a new folder, reports/<model>-<FILE>,\n"
                            "                    unless you ask for another file\n"
                            "  --out DIR         use the folder DIR instead\n"
                            "  --overwrite       replace such files in that folder\n"
                            "\n"
                            "{heads} words explains the words in the table and on the page.\n";

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
    .does = "what each head does: labels, scores, what the loss loses; the report",
    .example = "table runs/copy_task",
    .usage = usage,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .check = hl_heads_examples_check,
    .memory = memory,
    .run = run,
};
