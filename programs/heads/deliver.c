#include "programs/heads/deliver.h"

#include "study/output.h"

void hl_heads_answer_free(hl_heads_answer *answer)
{
    hl_text_free(&answer->table);
    hl_text_free(&answer->json);
    hl_text_free(&answer->csv);
    hl_text_free(&answer->markdown);
}

hl_status hl_heads_deliver(const hl_heads_command *command, hl_heads_answer *answer, FILE *out)
{
    hl_status status = hl_ok();
    if (!hl_heads_command_fills_output(command)) {
        HL_THEN(status, hl_output_put("-", &answer->table, out));
    }
    const char *const paths[] = { command->files.json, command->files.csv, command->files.md };
    hl_text *const texts[] = { &answer->json, &answer->csv, &answer->markdown };
    for (int i = 0; i < 3; i++) {
        if (paths[i] != NULL) {
            HL_THEN(status, hl_output_put(paths[i], texts[i], out));
        }
    }
    hl_heads_answer_free(answer);
    HL_THEN(status, answer->draw != NULL ? hl_heads_deliver_charts(command, answer->draw, answer->of, out) : hl_ok());
    return status;
}

hl_status hl_heads_deliver_charts(const hl_heads_command *command, hl_heads_draw *draw, const void *of, FILE *out)
{
    const char *const paths[HL_PICTURE_FORMATS] = { command->files.png, command->files.svg, command->files.pdf };
    for (int format = 0; format < HL_PICTURE_FORMATS; format++) {
        hl_text bytes = { 0 };
        if (paths[format] != NULL) {
            hl_text_fail(&bytes, draw(of, (hl_picture_format)format, &bytes));
            HL_TRY(hl_output_put(paths[format], &bytes, out));
        }
    }
    return hl_ok();
}
