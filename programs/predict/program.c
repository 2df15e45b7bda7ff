#include "programs/predict/program.h"

#include "core/base/clock.h"
#include "programs/beside.h"
#include "programs/open_data.h"
#include "programs/predict/answer_files.h"
#include "programs/print_line.h"
#include "programs/standard_output.h"
#include "programs/targets.h"
#include "train/setup_data.h"
#include "train/terminal.h"

#include <unistd.h>

static hl_status check_sentence(const char *run, const hl_pretrained_sentence *sentence)
{
    return *sentence->unsupported == '\0'
               ? hl_ok()
               : hl_error(HL_INVALID,
                          "%s: --embed makes vectors by mean or first-token pooling, normalised or not, and its files "
                          "for sentence-transformers say other things (%s)",
                          run, sentence->unsupported);
}

/* Opens the run, and its model where it is to be run. */
static hl_status open_model(hl_predict_call *call)
{
    hl_predict_command *command = &call->command;
    hl_model_options options = { .use = HL_DATA_TOKENS,
                                 .overrides = command->asked.overrides,
                                 .n_overrides = command->asked.n_overrides,
                                 .any_classifier = true };
    HL_TRY(hl_opened_model_open_with(&call->run, command->run, options));
    if (!hl_config_is_text(&call->run.source.config, NULL)) {
        return hl_error(HL_INVALID, "%s: was trained for the task %s, not on text; ask it by: %s %s --input TOKENS",
                        command->run, hl_config_task_spec(&call->run.source.config).name, hl_program_name("heads"),
                        command->run);
    }
    call->task = hl_config_text_spec(&call->run.source.config);
    const hl_text_data *text = hl_dataset_text(call->run.source.dataset);
    call->tokens = hl_text_data_tokens(text);
    call->targets = hl_text_data_targets(text);
    hl_pretrained_problem problem =
        call->run.source.open != NULL ? hl_pretrained_stored_problem(call->run.source.open) : HL_PROBLEM_CHOICE;
    bool asks_top = command->top > 0;
    if (asks_top && problem == HL_PROBLEM_NUMBERS) {
        return hl_error(HL_INVALID,
                        "command line: --top: %s answers with numbers, so no answer is the best: leave it out",
                        command->run);
    }
    HL_TRY(hl_predict_command_fit(command, call->task.task));
    hl_tell_first_word(&call->run.source, call->err);
    if (command->tokens) {
        return hl_ok();
    }
    if (call->run.source.shape.head == HL_HEAD_NONE && command->embed == NULL) {
        return hl_error(
            HL_INVALID,
            "%s: its model has no output layer, so it gives no answers: train one on your own examples with %s "
            "my.ini --from %s, and ask the run (--tokens and --embed need none)",
            command->run, hl_program_name("train"), command->run);
    }
    HL_TRY(hl_targets_check(&(hl_target){ "embed", command->embed }, 1, (hl_targets_beside){ .text = command->file }));
    HL_TRY(hl_opened_model_load(&call->run, -1));
    hl_tell_precision(&call->run.source, call->err);
    bool running = hl_text_spec_is_running(&call->task);
    hl_pretrained_sentence sentence = { .pooling = HL_SENTENCE_UNKNOWN };
    if (command->embed != NULL) {
        sentence = call->run.source.sentence;
        HL_TRY(check_sentence(command->run, &sentence));
    }
    hl_predictor_spec spec = { .model = &call->run.model,
                               .tokens = call->tokens,
                               .wraps = !running && call->task.task != HL_TEXT_FILE,
                               .problem = problem,
                               .rows = command->embed != NULL,
                               .of_first = sentence.pooling == HL_SENTENCE_FIRST,
                               .normalised = sentence.normalised,
                               .length = sentence.length,
                               .stride = command->stride,
                               .threads = command->threads > 0 ? command->threads : call->run.source.threads };
    hl_status status = hl_predictor_open(&spec, &call->predictor);
    call->likely = problem == HL_PROBLEM_LABELS && !asks_top;
    bool all = problem != HL_PROBLEM_CHOICE && !asks_top;
    command->top = !all && command->top < call->predictor.width ? command->top : call->predictor.width;
    return status.code == HL_INVALID ? hl_error(HL_INVALID, "%s: %s", command->run, status.text) : status;
}

static hl_status answer(hl_predict_call *call)
{
    const hl_predict_command *command = &call->command;
    if (command->score != NULL) {
        return hl_predict_show_scores(call);
    }
    hl_status status = hl_ok();
    if (command->embed != NULL) {
        status = hl_predict_embedding_begin(&call->embedding, command->embed, &call->predictor);
    }
    bool words = call->task.task == HL_TEXT_TAGS || call->task.task == HL_TEXT_FILE;
    HL_THEN(status, words ? hl_predict_rows(call) : hl_predict_lines(call));
    if (command->embed == NULL) {
        return status;
    }
    HL_TRY(hl_predict_embedding_end(&call->embedding, status));
    hl_print_line(call->err, "%s: a line's vector is %s of the last layer, %s", command->embed,
                  call->predictor.spec.of_first ? "the first row" : "the mean of the rows",
                  call->predictor.spec.normalised ? "divided by its length" : "not normalised");
    return hl_ok();
}

static hl_status execute(hl_predict_call *call)
{
    if (call->command.help) {
        return hl_print_help(call->out, hl_predict_help_usage);
    }
    if (call->command.version) {
        fprintf(call->out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    HL_TRY(open_model(call));
    HL_TRY(call->run.source.open != NULL ? hl_print_notices(call->err, hl_pretrained_notices(call->run.source.open))
                                         : hl_ok());
    call->terminal = isatty(fileno(call->out)) != 0;
    call->streams = call->terminal && call->task.task == HL_TEXT_NEXT && !call->command.json;
    call->draws = hl_terminal_renews(call->err) && (!call->terminal || call->command.score != NULL);
    call->started = hl_clock_seconds();
    hl_status status = answer(call);
    hl_predict_tell_end(call);
    return status;
}

int hl_predict_program(int argc, char **argv, FILE *out, FILE *err)
{
    hl_predict_call call = { .out = out, .err = err };
    hl_status status = hl_predict_command_parse(argc, argv, &call.command);
    HL_THEN(status, execute(&call));
    int code = hl_standard_output_end(status, call.command.embed != NULL, out, err);
    hl_text_free(&call.text);
    hl_predictor_close(&call.predictor);
    hl_opened_model_close(&call.run);
    return code;
}
