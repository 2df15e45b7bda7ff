#include "programs/heads/export_model.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "heads/head_set.h"
#include "pretrained/write.h"
#include "programs/heads/examples.h"
#include "study/output.h"

/* ---- the folder ---- */

static hl_status check_folder(const hl_model_source *run, const char *folder, bool overwrite)
{
    static const hl_heads_place place = { "export", "a folder for the model", "another folder" };
    hl_heads_content found;
    const char *from = hl_config_string(&run->config, run->config.train.from);
    HL_TRY(hl_heads_look_into(&place, folder, run->path, &found));
    HL_TRY(*from != '\0' && hl_pretrained_is_folder(from) ? hl_heads_check_place(folder, from, "export") : hl_ok());
    return !found.any || overwrite
               ? hl_ok()
               : hl_error(HL_BAD_FILE,
                          "%s: holds files already; name another folder, or replace the model in it "
                          "with --overwrite",
                          folder);
}

/* ---- the model ---- */

/* What its output layer answers; HL_INVALID if no open model answers that. */
static hl_status find_head(const hl_model_source *run, hl_pretrained_head *head)
{
    static const hl_pretrained_head heads[] = { [HL_TEXT_MASKED] = HL_PRETRAINED_MASKED,
                                                [HL_TEXT_NEXT] = HL_PRETRAINED_NEXT,
                                                [HL_TEXT_TAGS] = HL_PRETRAINED_TAGS,
                                                [HL_TEXT_CLASSES] = HL_PRETRAINED_CLASSES };
    hl_text_task task;
    if (run->open != NULL) {
        *head = hl_pretrained_stored_head(run->open);
        return hl_ok();
    }
    if (!hl_config_is_text(&run->config, &task) || task == HL_TEXT_FILE) {
        return hl_error(HL_INVALID,
                        "%s: models of its task have other tokens than open models; export is for masked, next, "
                        "tags and classes",
                        run->path);
    }
    *head = heads[task];
    return hl_ok();
}

/* Opens what the run began with, where that is an open model; *source is NULL if it is none, or is gone. */
static hl_status open_source(const hl_model_source *run, hl_pretrained **source, hl_text *told)
{
    const char *from = hl_config_string(&run->config, run->config.train.from);
    bool exists;
    *source = NULL;
    if (run->open != NULL || *from == '\0') {
        return hl_ok();
    }
    if (hl_pretrained_is_folder(from)) {
        return hl_pretrained_open(from, source);
    }
    HL_TRY(hl_file_exists(from, &exists));
    if (!exists) {
        hl_text_print(told, "gone: ");
        hl_text_shown(told, from);
        hl_text_print(told, ", with which the run began: what else it held is not written\n");
    }
    return hl_text_status(told);
}

/* Which head of its layer each head is that is kept (NULL: all are), by layer and head. */
static void find_places(const hl_model_config *shape, const bool *kept, int32_t *places)
{
    for (int l = 0; l < shape->n_layers; l++) {
        for (int32_t head = 0; head < shape->heads[l]; head++) {
            if (kept == NULL || *kept++) {
                *places++ = head;
            }
        }
    }
}

/* Writes the parts with the run's tokens and labels. */
static hl_status write_parts(const hl_model_source *run, const bool *kept, hl_pretrained_parts parts,
                             const char *folder, hl_pretrained_written *written)
{
    const hl_text_data *text = hl_dataset_text(run->dataset);
    const hl_tokens *targets = hl_text_data_targets(text);
    size_t n = (size_t)hl_tokens_size(targets);
    const char **labels = hl_calloc(n, sizeof *labels);
    int32_t *places = hl_calloc((size_t)hl_heads_count(&run->shape), sizeof *places);
    hl_status status = hl_error_memory(folder);
    if (labels != NULL && places != NULL) {
        for (size_t i = 0; i < n; i++) {
            labels[i] = hl_tokens_piece(targets, (int32_t)i, NULL);
        }
        find_places(&run->shape, kept, places);
        parts.tokens = hl_text_data_tokens(text);
        parts.labels = labels;
        parts.places = places;
        status = hl_pretrained_write(&parts, folder, written);
    }
    hl_free(places);
    hl_free(labels);
    return status.code == HL_INVALID ? hl_error(HL_INVALID, "%s: cannot be exported: %s", run->path, status.text)
                                     : status;
}

hl_status hl_heads_export_check(const hl_model_source *run, const hl_heads_command *command)
{
    hl_pretrained_head head = HL_PRETRAINED_NONE;
    HL_TRY(find_head(run, &head));
    return check_folder(run, command->export_to, command->overwrite);
}

hl_status hl_heads_export_model(const hl_model_source *run, hl_model *model, const bool *kept,
                                const hl_heads_command *command, FILE *out)
{
    const char *folder = command->export_to;
    hl_pretrained_head head = HL_PRETRAINED_NONE;
    hl_pretrained_written written = { 0 };
    hl_text text = { 0 };
    HL_TRY(find_head(run, &head));
    hl_pretrained *source;
    hl_status status = open_source(run, &source, &text);
    hl_pretrained_parts parts = {
        .model = model, .head = head, .source = run->open != NULL ? run->open : source, .sentence = run->sentence
    };
    HL_THEN(status, write_parts(run, kept, parts, folder, &written));
    hl_pretrained_close(source);
    if (status.code == HL_OK) {
        hl_text_shown(&text, folder);
        hl_text_print(&text, "\n");
        hl_pretrained_print_written(&written, &text);
        status = hl_output_put("-", &text, out);
    }
    hl_text_free(&text);
    hl_pretrained_written_free(&written);
    return status;
}
