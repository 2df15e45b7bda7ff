#include "core/base/memory.h"
#include "heads/head_set.h"
#include "programs/heads/export_model.h"
#include "programs/heads/help.h"
#include "programs/heads/pruning.h"
#include "programs/heads/verb.h"
#include "programs/shell_word.h"
#include "study/output.h"
#include "train/checkpoint.h"

#include <inttypes.h>
#include <string.h>

/* ---- the smaller model ---- */

/* The run's config with the shape of the model. */
static char *config_text(const hl_model_source *run, const hl_model_config *shape)
{
    hl_config config = run->config;
    size_t bytes = sizeof config.model.heads;
    memcpy(config.model.heads, shape->heads, bytes);
    memcpy(config.model.kv_heads, shape->kv_heads, bytes);
    memcpy(config.model.d_k, shape->d_k, bytes);
    memcpy(config.model.d_v, shape->d_v, bytes);
    return hl_config_result_text(&config);
}

static hl_status write_model(const hl_heads_pruning *pruning, const char *path)
{
    const hl_opened_model *run = pruning->run;
    hl_text names = { 0 };
    for (int64_t i = 0; i < hl_heads_count(&run->source.shape); i++) { /* "L0H1,L1H0,L1H3" */
        if (pruning->kept[i]) {
            hl_text_print(&names, "%s%s", names.size > 0 ? "," : "", hl_head_name_at(&run->source.shape, i).text);
        }
    }
    char *config = config_text(&run->source, &pruning->model.config);
    hl_status status = config != NULL ? hl_text_status(&names) : hl_error_memory(path);
    if (status.code == HL_OK) {
        int64_t step = run->weights_step >= 0 ? run->weights_step : 0;
        status = hl_checkpoint_write_pruned(path, &pruning->model.parameters, step, config, names.bytes);
    }
    hl_free(config);
    hl_text_free(&names);
    return status;
}

/* ---- how to go on ---- */

static void print_override(hl_text *text, const char *key, const int32_t *values, int n)
{
    hl_text_print(text, " model.%s=", key);
    for (int l = 0; l < n; l++) {
        hl_text_print(text, "%s%" PRId32, l > 0 ? "," : "", values[l]);
    }
}

static void print_command(hl_text *text, const hl_heads_pruning *pruning, const char *path)
{
    const hl_model_config *shape = &pruning->model.config;
    const char *run = pruning->run->source.path;
    size_t length = strlen(run);
    bool slash = length > 0 && run[length - 1] == '/';
    hl_text_print(text, "  ./train ");
    hl_shell_word(text, run, slash ? "config.ini" : "/config.ini");
    hl_text_print(text, " --from ");
    hl_shell_word(text, path, "");
    print_override(text, "heads", shape->heads, shape->n_layers);
    print_override(text, "kv_heads", shape->kv_heads, shape->n_layers);
    print_override(text, "d_k", shape->d_k, shape->n_layers);
    print_override(text, "d_v", shape->d_v, shape->n_layers);
    hl_text_print(text, " --out ");
    hl_text trimmed = { 0 };
    hl_text_print(&trimmed, "%.*s", (int)(length - slash), run);
    hl_shell_word(text, hl_text_part(text, &trimmed), "-pruned");
    hl_text_free(&trimmed);
    hl_text_print(text, "\n");
}

static hl_status tell(const hl_heads_pruning *pruning, const char *path, FILE *to)
{
    const hl_heads_pruning_row *first = &pruning->rows[0], *last = &pruning->rows[pruning->n_rows - 1];
    hl_text text = { 0 };
    hl_text_print(&text, "\n");
    hl_text_shown(&text, path);
    hl_text_print(&text,
                  ": %" PRId64 " of %" PRId64 " heads; a batch takes %.2f ms instead of %.2f. To fine-tune it:\n",
                  last->heads, first->heads, 1e3 * last->seconds, 1e3 * first->seconds);
    print_command(&text, pruning, path);
    return hl_output_put("-", &text, to);
}

/* ---- the verb ---- */

static hl_status check(const hl_heads_command *command)
{
    const char *writes = command->out != NULL ? "out" : command->export_to != NULL ? "export" : NULL;
    if (command->to > 0 && writes == NULL) {
        return hl_error(HL_INVALID, "command line: --to needs --out FILE or --export DIR");
    }
    if (command->to == 0 && writes != NULL) {
        return hl_error(HL_INVALID, "command line: --%s needs --to N, the number of heads to keep", writes);
    }
    return command->overwrite && command->export_to == NULL
               ? hl_error(HL_INVALID, "command line: --overwrite needs --export DIR")
               : hl_ok();
}

/* The pruned model stands beside the whole one. */
static hl_status memory(hl_heads_need *need)
{
    const hl_footprint *f = &need->f;
    size_t models = hl_size_sum(hl_heads_model_bytes(need), f->weights);
    need->bytes = hl_size_sum(models, hl_heads_larger(f->measures, hl_size_sum(f->snapshot, f->evaluation)));
    need->remedy = HL_HEADS_LESS_MEASURING;
    return hl_ok();
}

static hl_status check_target(const hl_model_source *run, int64_t target, const char *out)
{
    if (run->open != NULL && out != NULL) {
        return hl_error(HL_INVALID,
                        "command line: --out: %s is an open model, and a file of weights would have none of its "
                        "tokens: write the smaller one by --export DIR; train my.ini --from DIR trains it on",
                        run->path);
    }
    int64_t n = hl_heads_count(&run->shape), least = run->shape.n_layers;
    if (n == least) {
        return hl_error(HL_INVALID, "command line: --to: %s has one head in every layer, which it keeps", run->path);
    }
    if (target < least || target >= n) {
        return hl_error(HL_INVALID,
                        "command line: --to: %" PRId64 ": %s has %" PRId64 " heads in %" PRId64
                        " layers, and every layer keeps at least one: %" PRId64 " .. %" PRId64 " can be left",
                        target, run->path, n, least, least, n - 1);
    }
    return hl_ok();
}

static hl_status prune(hl_heads_call *call)
{
    hl_opened_model *model = &call->model;
    const hl_heads_command *command = &call->command;
    int64_t target = command->to > 0 ? command->to : model->source.shape.n_layers;
    if (command->to > 0) {
        HL_TRY(check_target(&model->source, target, command->out));
    }
    HL_TRY(command->export_to != NULL ? hl_heads_export_check(&model->source, command) : hl_ok());
    hl_heads_pruning pruning;
    hl_status status = hl_heads_pruning_make(&pruning, model, target, command->by, command->once);
    HL_THEN(status, hl_heads_prune_show_curve(&pruning, command, call->out));
    FILE *to = hl_heads_command_fills_output(command) ? call->err : call->out;
    if (command->out != NULL) {
        HL_THEN(status, write_model(&pruning, command->out));
        HL_THEN(status, tell(&pruning, command->out, to));
    }
    if (command->export_to != NULL) {
        fputc('\n', to);
        HL_THEN(status, hl_heads_export_model(&model->source, &pruning.model, pruning.kept, command, to));
    }
    hl_heads_pruning_free(&pruning);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_loss));
    return prune(call);
}

const hl_heads_verb hl_heads_verb_prune = {
    .name = "prune",
    .does = "remove heads one by one, and write a smaller model",
    .example = "prune runs/copy_task",
    .help = hl_heads_help_prune,
    .options = "by once to out export overwrite json csv png svg pdf task file",
    .check = check,
    .memory = memory,
    .run = run,
};
