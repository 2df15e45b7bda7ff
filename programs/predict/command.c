#include "programs/predict/command.h"

#include "programs/beside.h"
#include "programs/options.h"
#include "study/output.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char hl_predict_command_usage[] =
    "usage: {predict} RUN [FILE] [options]\n"
    "\n"
    "Asks a trained model. RUN is the folder of a training on text, or of an open\n"
    "model as Hugging Face lays it out; FILE, plain or gzipped, is read line by line;\n"
    "without one, or with -, standard input is, of which every line is answered as it\n"
    "comes. What is answered follows from the task of RUN:\n"
    "  masked            each line with its [MASK]s filled, and what else may stand\n"
    "                    there, with probabilities\n"
    "  next              each line continued\n"
    "  tags              FILE is a treebank in CoNLL-U: it is written back with the\n"
    "                    column filled, all else byte for byte; or text, a sentence\n"
    "                    a line, where the first line that is neither empty nor\n"
    "                    begins with # has no tab\n"
    "  classes           the label of each line and its probability; of pairs a tab\n"
    "                    separates the two texts; or of each row of a table, which\n"
    "                    names the columns of the texts in its first line\n"
    "  file              FILE is a table with the columns tokens and targets: it is\n"
    "                    written back with an answer where a target is not _\n"
    "\n"
    "Answers\n"
    "  --top K           masked, classes: the K most probable ones (5; classes 1);\n"
    "                    file with --json likewise (1)\n"
    "  --json            one object a line\n"
    "  --length N        next: pieces to add at most (200)\n"
    "  --temperature T   next: below 1 safer, above 1 bolder; 0: always the most\n"
    "                    probable piece (0.8)\n"
    "  --top-k K         next: drawn from the K most probable pieces alone (all)\n"
    "  --seed S          next: of the draws (1)\n"
    "  --stride N        a text that is longer than the model takes is not cut, but\n"
    "                    read in windows that begin N pieces apart; each piece is\n"
    "                    answered for where it has the most context, of classes the\n"
    "                    mean probability counts\n"
    "\n"
    "Instead of answers\n"
    "  --score FILE      how good the answers on FILE are, which has the form that\n"
    "                    RUN was trained on: accuracy, perplexity (masked: of one\n"
    "                    mask at a time), F1 of every label\n"
    "  --word-l2r        with --score, masked: the later pieces of its word are\n"
    "                    masked with each piece, too\n"
    "  task.column=XPOS  of an open model that stores labels, what FILE is: the\n"
    "                    column of its tags (UPOS); task.text_column (text),\n"
    "                    task.label_column (label)\n"
    "  task.line_mb=N    with --score of running text: the longest line, in MiB (128)\n"
    "  task.prefix_space=true  a tagger with tokens of kind bpe reads a space before\n"
    "                    the first word of a sentence, also without --score\n"
    "  --tokens          the pieces of each line, separated by spaces\n"
    "  --embed FILE.npy  a vector for each line, (lines, d_model), for NumPy: as the\n"
    "                    modules.json of an open model says, else the mean of the\n"
    "                    last layer's rows, not normalised\n"
    "\n"
    "  --threads N       as RUN was trained, without it; of an open model all cores\n"
    "  --help            this text\n"
    "  --version         the version\n"
    "\n"
    "Exit: 0 done; 1 failed while running; 2 wrong usage; 3 a file, or no run; 4\n"
    "numbers that are not finite; 5 out of memory.\n";

static hl_status read_temperature(const char *name, const char *value, void *given)
{
    hl_predict_command *command = given;
    char *end;
    command->temperature = strtod(value, &end);
    return end != value && *end == '\0' && command->temperature >= 0 && command->temperature <= 1000
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --%s: \"%s\" is no number in 0 .. 1000", name, value);
}

enum { MOST = 1 << 20 };

static const hl_option options[] = {
    { HL_OPTION("score", FILE, hl_predict_command, score) },
    { HL_OPTION("embed", TEXT, hl_predict_command, embed) },
    { HL_OPTION("json", FLAG, hl_predict_command, json) },
    { HL_OPTION("word-l2r", FLAG, hl_predict_command, word_l2r) },
    { HL_OPTION("tokens", FLAG, hl_predict_command, tokens) },
    { HL_OPTION("top", INTEGER, hl_predict_command, top), .least = 1, .most = MOST },
    { HL_OPTION("top-k", INTEGER, hl_predict_command, top_k), .least = 1, .most = MOST },
    { HL_OPTION("seed", INTEGER, hl_predict_command, seed), .most = INT64_MAX },
    { HL_OPTION("length", INTEGER, hl_predict_command, length), .least = 1, .most = INT32_MAX },
    { HL_OPTION("stride", INTEGER, hl_predict_command, stride), .least = 1, .most = INT32_MAX },
    { .name = "temperature", .kind = HL_OPTION_READ, .read = read_temperature },
    { HL_OPTION("threads", INT, hl_predict_command, threads), .least = 1, .most = 1024 },
    { HL_OPTION("help", FLAG, hl_predict_command, help) },
    { HL_OPTION("version", FLAG, hl_predict_command, version) },
};

static const char prefix_space[] = "task.prefix_space=";

static bool says_how(const char *word)
{
    static const char *const keys[] = { "task.column=", "task.text_column=", "task.label_column=", "task.line_mb=",
                                        prefix_space };
    bool found = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        found = found || strncmp(word, keys[i], strlen(keys[i])) == 0;
    }
    return found;
}

static hl_status take_argument(const char *word, void *given)
{
    hl_predict_command *command = given;
    if (command->run != NULL && says_how(word)) {
        return hl_named_config_override(&command->asked, word);
    }
    if (command->file != NULL) {
        return hl_error(HL_INVALID, "command line: %s: a run and one file are enough; see --help", word);
    }
    *(command->run == NULL ? &command->run : &command->file) = word;
    return hl_ok();
}

static hl_status check(const hl_predict_command *command)
{
    const char *instead = command->score != NULL   ? "score"
                          : command->tokens        ? "tokens"
                          : command->embed != NULL ? "embed"
                                                   : NULL;
    if (command->help || command->version) {
        return hl_ok();
    }
    if (command->run == NULL) {
        return hl_error(HL_INVALID, "command line: no run given, as in: %s runs/text_masked; see --help",
                        hl_program_name("predict"));
    }
    if (command->score != NULL && command->file != NULL) {
        return hl_error(HL_INVALID, "command line: --score %s and %s: one file at a time", command->score,
                        command->file);
    }
    if ((command->score != NULL) + command->tokens + (command->embed != NULL) > 1) {
        return hl_error(HL_INVALID, "command line: --score, --tokens and --embed: call %s once for each",
                        hl_program_name("predict"));
    }
    for (int i = 0; i < command->asked.n_overrides && command->score == NULL; i++) {
        const char *override = command->asked.overrides[i];
        if (strncmp(override, prefix_space, strlen(prefix_space)) != 0) { /* which all ways of reading heed */
            return hl_error(HL_INVALID,
                            "command line: %s: says what a file is that --score reads, as in: --score FILE %s",
                            override, override);
        }
    }
    if (command->word_l2r && command->score == NULL) {
        return hl_error(HL_INVALID, "command line: --word-l2r says how --score reads a file, as in: --score FILE "
                                    "--word-l2r");
    }
    if (command->embed != NULL && (command->json || hl_output_is_standard(command->embed))) {
        return hl_error(HL_INVALID, "command line: --embed writes a file of its own: %s",
                        command->json ? "leave --json out" : "name one, as out.npy");
    }
    const struct {
        const char *name;
        bool given;
    } of_answers[] = { { "top", command->top > 0 },
                       { "length", command->length > 0 },
                       { "temperature", command->temperature >= 0 },
                       { "top-k", command->top_k > 0 },
                       { "seed", command->seed >= 0 },
                       { "stride", command->stride > 0 && command->tokens } };
    for (size_t i = 0; i < sizeof of_answers / sizeof *of_answers && instead != NULL; i++) {
        if (of_answers[i].given) {
            return hl_error(HL_INVALID, "command line: --%s does not go with --%s", of_answers[i].name, instead);
        }
    }
    return hl_ok();
}

hl_status hl_predict_command_parse(int argc, char **argv, hl_predict_command *command)
{
    *command = (hl_predict_command){
        .top = -1, .top_k = -1, .seed = -1, .length = -1, .stride = -1, .temperature = -1, .threads = -1
    };
    HL_TRY(hl_options_read(argc, argv, options, sizeof options / sizeof *options, take_argument, command));
    return check(command);
}

hl_status hl_predict_command_fit(hl_predict_command *command, hl_text_task task)
{
    static const char *const names[] = { "masked", "next", "tags", "classes", "file" };
    bool next = task == HL_TEXT_NEXT, many = task == HL_TEXT_MASKED || task == HL_TEXT_CLASSES || task == HL_TEXT_FILE;
    const struct {
        const char *name;
        bool given, fits;
    } of_task[] = { { "top", command->top > 0, many },
                    { "length", command->length > 0, next },
                    { "temperature", command->temperature >= 0, next },
                    { "top-k", command->top_k > 0, next },
                    { "seed", command->seed >= 0, next },
                    { "word-l2r", command->word_l2r, task == HL_TEXT_MASKED },
                    { "stride", command->stride > 0, !next || command->score != NULL || command->embed != NULL } };
    for (size_t i = 0; i < sizeof of_task / sizeof *of_task; i++) {
        if (of_task[i].given && !of_task[i].fits) {
            return hl_error(HL_INVALID, "command line: --%s: %s was trained for the task %s, which has no use for it",
                            of_task[i].name, command->run, names[task]);
        }
    }
    command->file = command->file == NULL ? "-" : command->file;
    command->top = command->top > 0 ? command->top : task == HL_TEXT_MASKED ? 5 : 1;
    command->length = command->length > 0 ? command->length : 200;
    command->temperature = command->temperature >= 0 ? command->temperature : 0.8;
    command->top_k = command->top_k > 0 ? command->top_k : 0;
    command->seed = command->seed >= 0 ? command->seed : 1;
    command->stride = command->stride > 0 ? command->stride : 0;
    return hl_ok();
}
