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
