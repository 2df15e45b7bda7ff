#include "programs/open_data.h"

#include "core/kernels/bf16.h"
#include "programs/print_line.h"
#include "programs/waiting.h"
#include "study/model_examples.h"

#include <string.h>

hl_status hl_open_data(hl_config *config, hl_data_options options, FILE *out, hl_dataset **dataset)
{
    hl_waiting waiting = { .out = out };
    options.progress = hl_waiting_tell;
    options.context = &waiting;
    hl_status status = hl_setup_data(config, &options, dataset);
    hl_waiting_end(&waiting);
    bool names = status.code == HL_INVALID && options.beside != NULL;
    return names ? hl_error(HL_INVALID, "%s: %s", options.beside, status.text) : status;
}

hl_status hl_tell_data(const hl_text_data *data, FILE *out, hl_text *text)
{
    hl_waiting waiting = { .out = out };
    hl_status status = hl_data_told(data, hl_waiting_tell, &waiting, text);
    hl_waiting_end(&waiting);
    return status;
}

hl_status hl_open_examples(hl_opened_model *run, const char *path, FILE *out)
{
    hl_waiting waiting = { .out = out };
    hl_data_options options = { .progress = hl_waiting_tell, .context = &waiting };
    hl_status status = hl_opened_model_examine(run, path, &options);
    hl_waiting_end(&waiting);
    return status;
}

void hl_tell_precision(const hl_model_source *run, FILE *out)
{
    const char *missing = run->config.train.precision == HL_PRECISION_BF16 ? hl_bf16_missing() : NULL;
    if (missing != NULL) {
        hl_print_line(out, "%s: computed in float: %s; figures differ slightly from the run's, which is in bf16",
                      run->path, missing);
    }
}

void hl_tell_first_word(const hl_model_source *run, FILE *out)
{
    const hl_text_data *text = hl_dataset_text(run->dataset);
    if (run->open != NULL && text != NULL && hl_config_text_spec(&run->config).task == HL_TEXT_TAGS &&
        hl_tokens_first_word_is_bare(hl_text_data_tokens(text))) {
        hl_print_line(out, "%s: %s", run->path, HL_BARE_FIRST_WORD);
    }
}

hl_status hl_print_notices(FILE *out, const hl_text *notices)
{
    HL_TRY(hl_text_status(notices));
    for (const char *line = notices->bytes; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1) {
        hl_print_line(out, "%.*s", (int)strcspn(line, "\n"), line);
    }
    return hl_ok();
}
