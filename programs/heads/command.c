#include "programs/heads/command.h"

#include "study/output.h"

#include <assert.h>
#include <string.h>

/* ---- options ---- */

static hl_status read_by(const char *name, const char *value, void *given)
{
    hl_heads_command *command = given;
    command->by = strcmp(value, "gradient") == 0 ? HL_PRUNE_BY_GRADIENT : HL_PRUNE_BY_LOSS;
    return command->by == HL_PRUNE_BY_GRADIENT || strcmp(value, "loss") == 0
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --%s: \"%s\" is neither loss nor gradient", name, value);
}

#define OPTION(name, kind, field) HL_OPTION(name, kind, hl_heads_command, field)

/* Every option of any verb; it means the same wherever it is taken. The first ones are every verb's. */
enum { EVERY_VERBS = 2 };
static const hl_option all[] = {
    { OPTION("help", FLAG, help) },
    { OPTION("version", FLAG, version) },
    { OPTION("answer", TEXT, answer) },
    { OPTION("at", INTEGER, at), .most = INT64_MAX },
    { OPTION("bertviz", TEXT, files.bertviz) },
    { OPTION("blocks", INTEGER, blocks), .least = 1, .most = INT32_MAX },
    { .name = "by", .kind = HL_OPTION_READ, .read = read_by },
    { OPTION("clean", TEXT, clean) },
    { OPTION("corrupt", TEXT, corrupt) },
    { OPTION("csv", FILE, files.csv) },
    { OPTION("drop", TEXT, drop) },
    { OPTION("example", INTEGER, example), .most = INT64_MAX },
    { OPTION("examples", TEXT, examples) },
    { OPTION("export", TEXT, export_to) },
    { OPTION("file", TEXT, file) },
    { OPTION("heads", TEXT, heads) },
    { OPTION("importance", FLAG, importance) },
    { OPTION("input", TEXT, input) },
    { OPTION("json", FILE, files.json) },
    { OPTION("keep", TEXT, keep) },
    { OPTION("max-pieces", INTEGER, max_pieces), .least = 2, .most = INT64_MAX },
    { OPTION("md", FILE, files.md) },
    { OPTION("norms", FLAG, norms) },
    { OPTION("npz", TEXT, files.npz) },
    { OPTION("once", FLAG, once) },
    { OPTION("out", TEXT, out) },
    { OPTION("overwrite", FLAG, overwrite) },
    { OPTION("pairs", TEXT, pairs) },
    { OPTION("pdf", TEXT, files.pdf) },
    { OPTION("png", TEXT, files.png) },
    { OPTION("position", INTEGER, position), .most = INT64_MAX },
    { OPTION("punct-and-root", FLAG, punct_and_root) },
    { OPTION("relation", TEXT, relation) },
    { OPTION("report", FILE, files.report) },
    { OPTION("reverse", FLAG, reverse) },
    { OPTION("shapley", FLAG, shapley) },
    { OPTION("step", INTEGER, step), .most = INT64_MAX },
    { OPTION("subtypes", FLAG, subtypes) },
    { OPTION("svg", TEXT, files.svg) },
    { OPTION("task", TEXT, task) },
    { OPTION("to", INTEGER, to), .least = 1, .most = INT64_MAX },
    { OPTION("trees", FLAG, trees) },
    { OPTION("wide", FLAG, wide) },
    { OPTION("without-null", FLAG, without_null) },
    { OPTION("words", FLAG, words) },
    { OPTION("writes", FLAG, writes) },
    { OPTION("wrong", TEXT, wrong) },
};
enum { OPTIONS = sizeof all / sizeof *all };

int hl_heads_options(const char *names, hl_option options[HL_HEADS_MOST_OPTIONS])
{
    int n = 0;
    for (; n < EVERY_VERBS; n++) {
        options[n] = all[n];
    }
    for (const char *name = names; *name != '\0'; name += strspn(name, " ")) {
        size_t size = strcspn(name, " ");
        int i = 0;
        while (i < OPTIONS && (strlen(all[i].name) != size || strncmp(all[i].name, name, size) != 0)) {
            i++;
        }
        assert(i < OPTIONS && n < HL_HEADS_MOST_OPTIONS);
        options[n++] = all[i];
        name += size;
    }
    return n;
}

/* ---- what is asked for ---- */

void hl_heads_command_targets(const hl_heads_command *command, hl_target targets[HL_HEADS_TARGETS])
{
    const hl_heads_files *f = &command->files;
    const char *pruned = command->to > 0 ? command->out : NULL;
    const hl_target asked[HL_HEADS_TARGETS] = {
        { "json", f->json }, { "csv", f->csv }, { "report", f->report },   { "png", f->png }, { "svg", f->svg },
        { "pdf", f->pdf },   { "npz", f->npz }, { "bertviz", f->bertviz }, { "md", f->md },   { "out", pruned },
    };
    memcpy(targets, asked, sizeof asked);
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
