#include "programs/heads/deliver.h"

#include "study/output.h"

hl_status hl_heads_deliver(const hl_heads_command *command, hl_text *table, hl_text *json, hl_text *csv, hl_text *md,
                           FILE *out)
{
    const char *const paths[] = { hl_heads_command_fills_output(command) ? NULL : "-", command->json, command->csv,
                                  command->md };
    hl_text *const texts[] = { table, json, csv, md };
    hl_status status = hl_ok();
    for (int i = 0; i < 4; i++) {
        if (texts[i] == NULL) {
            continue;
        }
        if (paths[i] != NULL) {
            HL_THEN(status, hl_output_put(paths[i], texts[i], out));
        }
        hl_text_free(texts[i]);
    }
    return status;
}

hl_status hl_heads_deliver_charts(const hl_heads_command *command,
                                  hl_status (*draw)(const void *context, hl_picture_format format, hl_text *bytes),
                                  const void *context, FILE *out)
{
    const char *const paths[HL_PICTURE_FORMATS] = { command->png, command->svg, command->pdf };
    for (int format = 0; format < HL_PICTURE_FORMATS; format++) {
        hl_text bytes = { 0 };
        if (paths[format] != NULL) {
            hl_text_fail(&bytes, draw(context, (hl_picture_format)format, &bytes));
            HL_TRY(hl_output_put(paths[format], &bytes, out));
        }
    }
    return hl_ok();
}
