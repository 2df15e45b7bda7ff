#include "train/heads_command.h"

#include "train/options.h"

#include <stddef.h>
#include <string.h>

const char hl_heads_command_usage[] =
    "usage: heads RUN [options]\n"
    "\n"
    "Shows what every attention head of a training run does. RUN is its folder, as\n"
    "in runs/copy_task; the run may still go on. Without options: a table of all\n"
    "heads at the last snapshot; written anew: RUN/heads.csv, all metrics at all\n"
    "snapshots, and RUN/report.html, a page for the browser that shows all of it.\n"
    "\n"
    "Figures\n"
    "  --json [FILE]     the table as JSON (no FILE, or -: to standard output, alone)\n"
    "  --csv [FILE]      the content of heads.csv, all snapshots (likewise)\n"
    "  --report [FILE]   the page, report.html (likewise)\n"
    "  --step S          the table and the maps of step S instead of the last one\n"
    "\n"
    "Two runs\n"
    "  --against RUN2    a table: each head of RUN, the head of RUN2 that does most\n"
    "                    nearly the same, and how far apart they are; and a page\n"
    "                    with both side by side on the examples of RUN, written to\n"
    "                    RUN/against-<name of RUN2>.html, or to --report FILE\n"
    "\n"
    "Maps\n"
    "  --head L0H3       draw one head in the terminal: the mean of the scoring\n"
    "                    examples (the odd-numbered ones) where all have one\n"
    "                    length, else example 0\n"
    "  --example N       example N of the snapshot, counted from 0; without --head:\n"
    "                    all heads, small\n"
    "  --input TOKENS    run the model on tokens of your own, as in\n"
    "                    \"a b <sep> <mask>\"; the weights are the last checkpoint's\n"
    "  --png FILE        a figure of all heads, or with --head of one, ready to print\n"
    "  --svg FILE        the same as SVG\n"
    "  --pdf FILE        the same as PDF\n"
    "  --npz FILE        weights and metrics for NumPy: layer_N (examples, heads,\n"
    "                    queries, keys), tokens, lengths; per metric (heads, 2),\n"
    "                    value and baseline, by layer and head; js (heads, heads)\n"
    "  --bertviz FILE    one example as JSON, shaped for BertViz's views:\n"
    "                      import json, torch, bertviz; d = json.load(open(\"FILE\"))\n"
    "                      a = [torch.tensor(layer) for layer in d[\"attention\"]]\n"
    "                      bertviz.head_view(a, d[\"tokens\"])   # or model_view\n"
    "\n"
    "  --help            this text\n"
    "  --version         the version\n"
    "\n"
    "Colours are used where standard output is a terminal that has them (TERM,\n"
    "COLORTERM), unless NO_COLOR is set.\n"
    "\n"
    "Exit: 0 done; 1 failed while running; 2 wrong usage; 3 a file, or no run; 4\n"
    "numbers that are not finite; 5 out of memory.\n";

enum { HEAD, INPUT, JSON, CSV, REPORT, AGAINST, PNG, SVG, PDF, NPZ, BERTVIZ, STEP, EXAMPLE, HELP, VERSION, N_OPTIONS };

static const hl_option options[N_OPTIONS] = {
    [HEAD] = { "head", HL_OPTION_VALUE },
    [INPUT] = { "input", HL_OPTION_VALUE },
    [JSON] = { "json", HL_OPTION_OPTIONAL_VALUE },
    [CSV] = { "csv", HL_OPTION_OPTIONAL_VALUE },
    [REPORT] = { "report", HL_OPTION_OPTIONAL_VALUE },
    [AGAINST] = { "against", HL_OPTION_VALUE },
    [PNG] = { "png", HL_OPTION_VALUE },
    [SVG] = { "svg", HL_OPTION_VALUE },
    [PDF] = { "pdf", HL_OPTION_VALUE },
    [NPZ] = { "npz", HL_OPTION_VALUE },
    [BERTVIZ] = { "bertviz", HL_OPTION_VALUE },
    [STEP] = { "step", HL_OPTION_VALUE },
    [EXAMPLE] = { "example", HL_OPTION_VALUE },
    [HELP] = { "help", HL_OPTION_NO_VALUE },
    [VERSION] = { "version", HL_OPTION_NO_VALUE },
};

/* Where the option's text goes; NULL for options that are no texts. */
static const char **text_of(hl_heads_command *command, int option)
{
    const char **texts[N_OPTIONS] = {
        [HEAD] = &command->head, [INPUT] = &command->input,     [JSON] = &command->json,
        [CSV] = &command->csv,   [REPORT] = &command->report,   [AGAINST] = &command->against,
        [PNG] = &command->png,   [SVG] = &command->svg,         [PDF] = &command->pdf,
        [NPZ] = &command->npz,   [BERTVIZ] = &command->bertviz,
    };
    return texts[option];
}

static hl_status take_number(const char *name, const char *value, int64_t *number)
{
    long long read;
    HL_TRY(hl_option_integer(name, value, 0, INT64_MAX, &read));
    *number = read;
    return hl_ok();
}

static hl_status take_option(hl_heads_command *command, int option, const char *value)
{
    const char **text = text_of(command, option);
    if (text != NULL) {
        if (*value == '\0') {
            return hl_error(HL_INVALID, "command line: --%s: its value is empty; see --help", options[option].name);
        }
        *text = value;
        return hl_ok();
    }
    switch (option) {
    case STEP:
        return take_number("step", value, &command->step);
    case EXAMPLE:
        return take_number("example", value, &command->example);
    case HELP:
        command->help = true;
        break;
    default:
        command->version = true;
    }
    return hl_ok();
}

static hl_status take_argument(hl_heads_command *command, const char *argument)
{
    if (command->run != NULL) {
        return hl_error(HL_INVALID,
                        "command line: %s: one run is enough; two are compared by: heads RUN --against RUN2", argument);
    }
    command->run = argument;
    return hl_ok();
}

bool hl_heads_command_shows(const hl_heads_command *command)
{
    return command->head != NULL || command->input != NULL || command->example >= 0 || command->png != NULL ||
           command->svg != NULL || command->pdf != NULL || command->npz != NULL || command->bertviz != NULL;
}

static int to_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static hl_status check(const hl_heads_command *command)
{
    if (command->help || command->version) {
        return hl_ok();
    }
    if (command->run == NULL) {
        return hl_error(HL_INVALID, "command line: no run given, as in: heads runs/copy_task; see --help");
    }
    bool more = hl_heads_command_shows(command) || command->json != NULL || command->csv != NULL || command->step >= 0;
    if (command->against != NULL && more) {
        return hl_error(HL_INVALID, "command line: --against compares two runs, and goes with --report alone");
    }
    if (command->input != NULL && command->step >= 0) {
        return hl_error(HL_INVALID, "command line: --input runs the last checkpoint's weights; leave --step out");
    }
    if (command->input != NULL && command->example >= 0) {
        return hl_error(HL_INVALID, "command line: --input and --example exclude each other");
    }
    if (to_standard_output(command->json) + to_standard_output(command->csv) + to_standard_output(command->report) >
        1) {
        return hl_error(HL_INVALID, "command line: of --json, --csv and --report one alone can go to standard output");
    }
    return hl_ok();
}

hl_status hl_heads_command_parse(int argc, char **argv, hl_heads_command *command)
{
    *command = (hl_heads_command){ .step = -1, .example = -1 };
    bool options_ended = false;
    for (int at = 1; at < argc; at++) {
        const char *argument = argv[at];
        if (options_ended || argument[0] != '-') {
            HL_TRY(take_argument(command, argument));
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (argument[1] == '-') {
            int option;
            const char *value;
            HL_TRY(hl_option_read(options, N_OPTIONS, argc, argv, &at, &option, &value));
            HL_TRY(take_option(command, option, value));
        } else {
            return hl_option_unknown(options, N_OPTIONS, argument);
        }
    }
    return check(command);
}
