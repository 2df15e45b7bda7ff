#include "programs/ablate/plan_data.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "programs/open_data.h"
#include "train/config_keys.h"

#include <string.h>

enum { MOST_BYTES = 1 << 28 };

/* Takes task.content out of the variant's part of the plan in the folder, where it is there. HL_NO_MEMORY; HL_BAD_FILE
 * where the plan cannot be read. */
static hl_status take_content(const char *folder, const char *name, hl_config *config)
{
    static const char key[] = "\ncontent = ";
    char *plan;
    size_t size;
    char *path = hl_path_join(folder, "plan.txt");
    HL_NEED(path != NULL, folder);
    hl_status read = hl_file_read_if_there(path, MOST_BYTES, &plan, &size);
    hl_free(path);
    HL_TRY(read);
    hl_text heading = { 0 };
    hl_text_print(&heading, "\n---- %s ----\n", name);
    hl_status status = hl_text_status(&heading);
    const char *part = status.code == HL_OK && plan != NULL ? strstr(plan, heading.bytes) : NULL;
    char *found = part != NULL ? strstr(part, key) : NULL;
    if (found != NULL) {
        char wrong[HL_CONFIG_WRONG_TEXT];
        char *value = found + sizeof key - 1;
        value[strcspn(value, "\n")] = '\0';
        hl_config_read_value(hl_config_key_at(offsetof(hl_config, task.content)), value, config, wrong);
    }
    hl_text_free(&heading);
    hl_free(plan);
    return status;
}

hl_status hl_ablate_plan_data_open(const hl_ablate_command *command, hl_ablate_plan *plan, const char *name,
                                   bool notices, FILE *out, const hl_tokens *tokens, hl_config *config)
{
    if (!hl_config_is_text(config, NULL)) {
        return hl_ok();
    }
    hl_text noticed = { 0 };
    hl_dataset *dataset = NULL;
    hl_data_options options = { .use = HL_DATA_MAKE,
                                .folder = plan->folder,
                                .beside = command->config.path,
                                .tokens = tokens,
                                .made = plan->cache != NULL ? &plan->made : NULL,
                                .notices = notices ? &noticed : NULL };
    hl_status status = hl_open_data(config, options, out, &dataset);
    if (status.code == HL_BAD_FILE && !command->overwrite) {
        hl_status taken = take_content(plan->folder, name, config);
        options.use = HL_DATA_KEEP;
        bool said = taken.code == HL_OK && *hl_config_string(config, config->task.content) != '\0';
        if (said && hl_open_data(config, options, out, &dataset).code == HL_OK) {
            status = hl_ok();
        }
        status = taken.code == HL_NO_MEMORY ? taken : status;
    }
    if (status.code == HL_OK) {
        hl_dataset_free(dataset);
        status = hl_print_notices(out, &noticed);
    }
    hl_text_free(&noticed);
    return status;
}
