#include "programs/heads/command.h"

#include "study/output.h"

#include <string.h>

void hl_heads_command_targets(const hl_heads_command *command, hl_target targets[HL_HEADS_TARGETS])
{
    const hl_heads_files *f = &command->files;
    const hl_target all[HL_HEADS_TARGETS] = {
        { "json", f->json }, { "csv", f->csv }, { "report", f->report },   { "png", f->png }, { "svg", f->svg },
        { "pdf", f->pdf },   { "npz", f->npz }, { "bertviz", f->bertviz }, { "md", f->md },   { "out", f->weights },
    };
    memcpy(targets, all, sizeof all);
}

bool hl_heads_command_fills_output(const hl_heads_command *command)
{
    hl_target targets[HL_HEADS_TARGETS];
    hl_heads_command_targets(command, targets);
    bool fills = false;
    for (int i = 0; i < HL_HEADS_TARGETS; i++) {
        fills = fills || hl_output_is_standard(targets[i].path);
    }
    return fills;
}

bool hl_heads_command_draws(const hl_heads_command *command)
{
    return command->files.png != NULL || command->files.svg != NULL || command->files.pdf != NULL;
}

bool hl_heads_command_looks(const hl_heads_command *command)
{
    return command->examples != NULL || command->files.report != NULL;
}
