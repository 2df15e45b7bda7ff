#include "programs/heads/questions.h"

#include "core/base/memory.h"
#include "core/base/shown_text.h"
#include "heads/head_set.h"
#include "programs/heads/export_model.h"
#include "programs/heads/prune_table.h"
#include "programs/heads/pruning.h"
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

/* A word of a shell's command line that ends in `tail`: in quotes where it needs them, and in $'...' where bytes in it
 * are not shown as they are, which then stand in hexadecimal. */
static void print_word(hl_text *text, const char *word, const char *tail)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,=+-";
    bool quotes = word[strspn(word, plain)] != '\0', spells = hl_shown_text(NULL, 0, word) != strlen(word);
    hl_text_print(text, "%s%s", spells ? "$" : "", quotes ? "'" : "");
    hl_shown shown;
    for (const char *rest; (rest = hl_shown_next(word, false, &shown)) != NULL; word = rest) {
        size_t length = (size_t)(rest - word);
        bool as_it_is = strncmp(shown.bytes, word, length) == 0 && shown.bytes[length] == '\0';
        if (as_it_is && *word == '\'') {
            hl_text_print(text, spells ? "\\'" : "'\\''");
        } else if (as_it_is) {
            hl_text_print(text, "%s%s", spells && *word == '\\' ? "\\" : "", shown.bytes);
        }
        for (; !as_it_is && word < rest; word++) {
            hl_text_print(text, "\\x%02x", (unsigned)(unsigned char)*word);
        }
    }
    hl_text_print(text, "%s%s", tail, quotes ? "'" : "");
}

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
    print_word(text, run, slash ? "config.ini" : "/config.ini");
    hl_text_print(text, " --from ");
    print_word(text, path, "");
    print_override(text, "heads", shape->heads, shape->n_layers);
    print_override(text, "kv_heads", shape->kv_heads, shape->n_layers);
    print_override(text, "d_k", shape->d_k, shape->n_layers);
    print_override(text, "d_v", shape->d_v, shape->n_layers);
    hl_text_print(text, " --out ");
    hl_text trimmed = { 0 };
    hl_text_print(&trimmed, "%.*s", (int)(length - slash), run);
    print_word(text, hl_text_part(text, &trimmed), "-pruned");
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

/* ---- all of it ---- */

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
        return hl_error(HL_INVALID, "command line: --prune-to: %s has one head in every layer, which it keeps",
                        run->path);
    }
    if (target < least || target >= n) {
        return hl_error(HL_INVALID,
                        "command line: --prune-to: %" PRId64 ": %s has %" PRId64 " heads in %" PRId64
                        " layers, and every layer keeps at least one: %" PRId64 " .. %" PRId64 " can be left",
                        target, run->path, n, least, least, n - 1);
    }
    return hl_ok();
}

hl_status hl_heads_prune_show(hl_opened_model *run, const hl_heads_command *command, FILE *out, FILE *err)
{
    int64_t target = command->prune_to > 0 ? command->prune_to : run->source.shape.n_layers;
    if (command->prune_to > 0) {
        HL_TRY(check_target(&run->source, target, command->out));
    }
    HL_TRY(command->export_to != NULL ? hl_heads_export_check(&run->source, command) : hl_ok());
    hl_heads_pruning pruning;
    hl_status status = hl_heads_pruning_make(&pruning, run, target, command->prune_by, command->prune_once);
    HL_THEN(status, hl_heads_prune_show_curve(&pruning, command, out));
    FILE *to = hl_heads_command_fills_output(command) ? err : out;
    if (command->out != NULL) {
        HL_THEN(status, write_model(&pruning, command->out));
        HL_THEN(status, tell(&pruning, command->out, to));
    }
    if (command->export_to != NULL) {
        fputc('\n', to);
        HL_THEN(status, hl_heads_export_model(&run->source, &pruning.model, pruning.kept, command, to));
    }
    hl_heads_pruning_free(&pruning);
    return status;
}
