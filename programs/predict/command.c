#include "programs/predict/command.h"

#include "programs/beside.h"
#include "programs/options.h"
#include "study/output.h"

#include <stddef.h>
#include <string.h>

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
    { HL_OPTION("temperature", NUMBER, hl_predict_command, temperature), .to = 1000 },
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

/* The first option that was given in vain; NULL: none. With --score, --tokens or --embed, which answer nothing, all
 * options of answers are; else those of no use for the task. */
static const char *useless(const hl_predict_command *command, bool answers, hl_text_task task)
{
    bool next = task == HL_TEXT_NEXT, many = task == HL_TEXT_MASKED || task == HL_TEXT_CLASSES || task == HL_TEXT_FILE;
    const struct {
        const char *name;
        bool given, of_answers, of_task;
    } options_of[] = { { "top", command->top > 0, true, many },
                       { "length", command->length > 0, true, next },
                       { "temperature", command->temperature >= 0, true, next },
                       { "top-k", command->top_k > 0, true, next },
                       { "seed", command->seed >= 0, true, next },
                       { "word-l2r", command->word_l2r, false, task == HL_TEXT_MASKED },
                       { "stride", command->stride > 0, command->tokens,
                         !next || command->score != NULL || command->embed != NULL } };
    for (size_t i = 0; i < sizeof options_of / sizeof *options_of; i++) {
        if (options_of[i].given && (answers ? !options_of[i].of_task : options_of[i].of_answers)) {
            return options_of[i].name;
        }
    }
    return NULL;
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
    const char *vain = instead != NULL ? useless(command, false, HL_TEXT_NEXT) : NULL;
    return vain == NULL ? hl_ok() : hl_error(HL_INVALID, "command line: --%s does not go with --%s", vain, instead);
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
    const char *vain = useless(command, true, task);
    if (vain != NULL) {
        return hl_error(HL_INVALID, "command line: --%s: %s was trained for the task %s, which has no use for it", vain,
                        command->run, names[task]);
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
