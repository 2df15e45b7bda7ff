#include "programs/heads/examples.h"
#include "programs/heads/map_memory.h"
#include "programs/heads/maps.h"
#include "programs/heads/verb.h"

static const char usage[] = "usage: {heads} map MODEL [HEAD] [options]\n"
                            "\n"
                            "Draws attention maps in the terminal: rows are queries, columns are keys. With\n"
                            "HEAD, as in L0H3, it draws one head with its tokens, otherwise all heads, small.\n"
                            "MODEL is a run's folder or, with --input, --examples or --file, an open model's.\n"
                            "\n"
                            "Without --example the map is the mean of the scoring examples (the odd-numbered\n"
                            "ones) if all have one length, otherwise the longest example.\n"
                            "\n"
                            "  --example N       show example N of the snapshot, counted from 0\n"
                            "  --input TEXT      run the model on your own tokens, as in \"a b <sep> <mask>\",\n"
                            "                    or on a text, and show its answers. Separate the two texts\n"
                            "                    of a pair by a tab. The weights are the last checkpoint's\n"
                            "  --examples FILE   show sentences of a text file or a treebank (CoNLL-U)\n"
                            "  --task T, --file FILE   show examples of a file, as an open model that answers\n"
                            "                    task T reads them; see {heads} importance --help\n"
                            "  --step S          use the snapshot of step S instead of the last one\n"
                            "  --words           show words instead of their pieces (text only); attention to\n"
                            "                    special tokens is dropped\n"
                            "\n"
                            "  --png FILE, --svg FILE, --pdf FILE   write the maps as a figure, ready to print\n"
                            "  --json [FILE], --csv [FILE]   write the maps' weights and labels, with --input\n"
                            "                    the answers too\n"
                            "  --npz FILE        write arrays for NumPy: layer_N (examples, heads, queries,\n"
                            "                    keys), tokens, lengths; per metric (heads, 2), value and\n"
                            "                    baseline, by layer and head; js (heads, heads). With --input,\n"
                            "                    instead of metrics, hidden_N (1, tokens, d_model): the input\n"
                            "                    of layer N, the last one the output of the last layer\n"
                            "  --bertviz FILE    write one example as JSON for BertViz:\n"
                            "                      import json, torch, bertviz; d = json.load(open(\"FILE\"))\n"
                            "                      a = [torch.tensor(layer) for layer in d[\"attention\"]]\n"
                            "                      bertviz.head_view(a, d[\"tokens\"])   # or model_view\n"
                            "                    (- as FILE, or no FILE after --json or --csv: to standard\n"
                            "                    output, alone)\n";

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
    .usage = usage,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .object = "HEAD",
    .check = check,
    .memory = hl_heads_map_memory,
    .run = run,
};
