#include "programs/heads/questions.h"

#include "programs/beside.h"

/* A question about the loss of an open model needs a head that it stores, and examples with targets. */
static hl_status check_loss(const hl_model_source *run)
{
    static const char *const files[] = { "masked --file text.txt", "next --file text.txt",
                                         "tags --file treebank.conllu", "classes --file table.tsv" };
    hl_text_task task;
    hl_config_is_text(&run->config, &task);
    if (run->folders != NULL) {
        return hl_ok();
    }
    if (run->shape.head == HL_HEAD_NONE) {
        return hl_error(HL_INVALID,
                        "%s: is an open model without an output layer, and this question needs a loss: train one on "
                        "examples of yours by %s my.ini --from %s, and ask the run",
                        run->path, hl_program_name("train"), run->path);
    }
    return hl_error(HL_INVALID,
                    "%s: is an open model, and this question needs a loss on examples of yours: name them by --task %s",
                    run->path, files[task]);
}

hl_status hl_heads_check_open(const hl_model_source *run, const hl_heads_command *command)
{
    const char *heads = hl_program_name("heads");
    if (run->open == NULL) {
        return hl_ok();
    }
    if (hl_heads_command_question(command) == HL_HEADS_TREEBANK) {
        return hl_ok();
    }
    bool profile = hl_heads_command_question(command) == HL_HEADS_PROFILE;
    if (hl_heads_command_question(command) != HL_HEADS_NO_QUESTION && !profile) {
        return check_loss(run);
    }
    if (command->against != NULL && run->folders == NULL && command->examples == NULL) {
        return hl_error(HL_INVALID,
                        "%s: is an open model, without examples of its own: name sentences for both by --examples "
                        "FILE, or a run first: %s RUN --against %s",
                        command->run, heads, command->run);
    }
    if (command->against != NULL) {
        return hl_ok();
    }
    bool shows = command->input != NULL || (run->folders != NULL && hl_heads_command_shows(command));
    bool looks = shows && !hl_heads_command_asks_figures(command);
    if (command->examples != NULL || looks || (profile && run->folders != NULL)) {
        return hl_ok();
    }
    return hl_error(HL_INVALID,
                    "%s: is an open model, without examples of its own: give it sentences, by --examples FILE, or a "
                    "text, as in: %s %s --input \"the cat sat on the mat\"",
                    command->run, heads, command->run);
}
