#include "programs/heads/command.h"

#include "programs/beside.h"
#include "programs/options.h"
#include "study/output.h"

#include <stddef.h>
#include <string.h>

static hl_status read_prune_by(const char *name, const char *value, void *given)
{
    hl_heads_command *command = given;
    command->prune = true;
    command->prune_by = strcmp(value, "gradient") == 0 ? HL_PRUNE_BY_GRADIENT : HL_PRUNE_BY_LOSS;
    return command->prune_by == HL_PRUNE_BY_GRADIENT || strcmp(value, "loss") == 0
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --%s: \"%s\" is neither loss nor gradient", name, value);
}

static const hl_option options[] = {
    { HL_OPTION("head", TEXT, hl_heads_command, head) },
    { HL_OPTION("input", TEXT, hl_heads_command, input) },
    { HL_OPTION("examples", TEXT, hl_heads_command, examples) },
    { HL_OPTION("json", FILE, hl_heads_command, json) },
    { HL_OPTION("csv", FILE, hl_heads_command, csv) },
    { HL_OPTION("report", FILE, hl_heads_command, report) },
    { HL_OPTION("against", TEXT, hl_heads_command, against) },
    { HL_OPTION("png", TEXT, hl_heads_command, png) },
    { HL_OPTION("svg", TEXT, hl_heads_command, svg) },
    { HL_OPTION("pdf", TEXT, hl_heads_command, pdf) },
    { HL_OPTION("npz", TEXT, hl_heads_command, npz) },
    { HL_OPTION("bertviz", TEXT, hl_heads_command, bertviz) },
    { HL_OPTION("step", INTEGER, hl_heads_command, step), .most = INT64_MAX },
    { HL_OPTION("example", INTEGER, hl_heads_command, example), .most = INT64_MAX },
    { HL_OPTION("words", FLAG, hl_heads_command, words) },
    { HL_OPTION("keep-only", TEXT, hl_heads_command, keep_only) },
    { HL_OPTION("drop", TEXT, hl_heads_command, drop) },
    { HL_OPTION("profile", FLAG, hl_heads_command, profile) },
    { HL_OPTION("importance", FLAG, hl_heads_command, importance) },
    { HL_OPTION("shapley", FLAG, hl_heads_command, shapley) },
    { HL_OPTION("prune", FLAG, hl_heads_command, prune) },
    { HL_OPTION("prune-once", FLAG, hl_heads_command, prune_once) },
    { .name = "prune-by", .kind = HL_OPTION_READ, .read = read_prune_by },
    { HL_OPTION("prune-to", INTEGER, hl_heads_command, prune_to), .least = 1, .most = INT64_MAX },
    { HL_OPTION("out", TEXT, hl_heads_command, out) },
    { HL_OPTION("task", TEXT, hl_heads_command, task) },
    { HL_OPTION("file", TEXT, hl_heads_command, file) },
    { HL_OPTION("export", TEXT, hl_heads_command, export_to) },
    { HL_OPTION("treebank", TEXT, hl_heads_command, treebank) },
    { HL_OPTION("relation", TEXT, hl_heads_command, relation) },
    { HL_OPTION("md", FILE, hl_heads_command, md) },
    { HL_OPTION("subtypes", FLAG, hl_heads_command, subtypes) },
    { HL_OPTION("punct-and-root", FLAG, hl_heads_command, punct_and_root) },
    { HL_OPTION("trees", FLAG, hl_heads_command, trees) },
    { HL_OPTION("without-null", FLAG, hl_heads_command, without_null) },
    { HL_OPTION("max-pieces", INTEGER, hl_heads_command, max_pieces), .least = 2, .most = INT64_MAX },
    { HL_OPTION("overwrite", FLAG, hl_heads_command, overwrite) },
    { HL_OPTION("help", FLAG, hl_heads_command, help) },
    { HL_OPTION("version", FLAG, hl_heads_command, version) },
};

static hl_status take_argument(const char *word, void *given)
{
    hl_heads_command *command = given;
    if (command->run != NULL && strchr(word, '=') != NULL) {
        return hl_named_config_override(&command->asked, word);
    }
    if (command->run != NULL) {
        return hl_error(HL_INVALID,
                        "command line: %s: one model is enough; a text is given by --input, a second model by "
                        "--against",
                        word);
    }
    command->run = word;
    return hl_ok();
}

bool hl_heads_command_asks_maps(const hl_heads_command *command)
{
    return command->head != NULL || command->input != NULL || command->example >= 0;
}

bool hl_heads_command_shows(const hl_heads_command *command)
{
    return hl_heads_command_asks_maps(command) || command->png != NULL || command->svg != NULL ||
           command->pdf != NULL || command->npz != NULL || command->bertviz != NULL;
}

bool hl_heads_command_asks_figures(const hl_heads_command *command)
{
    bool of_table = !hl_heads_command_asks_maps(command) && (command->json != NULL || command->csv != NULL);
    return !hl_heads_command_shows(command) || of_table || command->report != NULL;
}

bool hl_heads_command_looks(const hl_heads_command *command)
{
    return command->treebank != NULL && (command->examples != NULL || command->report != NULL);
}

hl_heads_question hl_heads_command_question(const hl_heads_command *command)
{
    if (command->treebank != NULL && !command->importance) {
        return HL_HEADS_TREEBANK;
    }
    if (command->profile) {
        return HL_HEADS_PROFILE;
    }
    if (command->prune) {
        return HL_HEADS_PRUNE;
    }
    if (command->importance) {
        return HL_HEADS_IMPORTANCE;
    }
    return command->keep_only != NULL || command->drop != NULL ? HL_HEADS_SUBSET : HL_HEADS_NO_QUESTION;
}

void hl_heads_command_targets(const hl_heads_command *command, hl_target targets[HL_HEADS_TARGETS])
{
    const char *file = command->examples == NULL ? command->out : NULL; /* else a folder */
    const hl_target all[HL_HEADS_TARGETS] = {
        { "json", command->json }, { "csv", command->csv }, { "report", command->report },
        { "png", command->png },   { "svg", command->svg }, { "pdf", command->pdf },
        { "npz", command->npz },   { "out", file },         { "bertviz", command->bertviz },
        { "md", command->md },
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

/* The name of the first option given that does not go with the question; NULL: there is none. */
static const char *stranger(const hl_heads_command *c)
{
    hl_heads_question question = hl_heads_command_question(c);
    bool importance = question == HL_HEADS_IMPORTANCE, prune = question == HL_HEADS_PRUNE;
    bool treebank = question == HL_HEADS_TREEBANK, profile = question == HL_HEADS_PROFILE;
    bool draws = prune || profile || (treebank && c->relation == NULL);
    const struct {
        const char *name;
        bool given, fits;
    } others[] = {
        { "keep-only", c->keep_only != NULL, question == HL_HEADS_SUBSET },
        { "drop", c->drop != NULL, question == HL_HEADS_SUBSET && c->keep_only == NULL },
        { c->shapley ? "shapley" : "importance", c->importance, importance && (!c->shapley || c->treebank == NULL) },
        { "relation", c->relation != NULL, treebank },
        { "trees", c->trees, treebank && c->relation == NULL },
        { "prune", c->prune, prune },
        { "profile", c->profile, profile },
        { "head", c->head != NULL, false },
        { "input", c->input != NULL, false },
        { "examples", c->examples != NULL, treebank || profile },
        { "out", c->out != NULL, !profile },
        { "example", c->example >= 0, false },
        { "against", c->against != NULL, false },
        { "report", c->report != NULL, treebank },
        { "words", c->words, false },
        { "npz", c->npz != NULL, false },
        { "bertviz", c->bertviz != NULL, false },
        { "step", c->step >= 0, importance || profile },
        { "png", c->png != NULL, draws },
        { "svg", c->svg != NULL, draws },
        { "pdf", c->pdf != NULL, draws },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].given && !others[i].fits) {
            return others[i].name;
        }
    }
    return NULL;
}

static const char *question_option(const hl_heads_command *command)
{
    switch (hl_heads_command_question(command)) {
    case HL_HEADS_TREEBANK:
        return command->relation != NULL ? "relation" : "treebank";
    case HL_HEADS_PROFILE:
        return "profile";
    case HL_HEADS_PRUNE:
        return "prune";
    case HL_HEADS_IMPORTANCE:
        return command->shapley && command->treebank != NULL ? "treebank" : "importance";
    default:
        return command->keep_only != NULL ? "keep-only" : "drop";
    }
}

static hl_status check_question(const hl_heads_command *command)
{
    bool asked = hl_heads_command_question(command) != HL_HEADS_NO_QUESTION;
    const char *other = asked ? stranger(command) : NULL;
    if (other != NULL) {
        return hl_error(HL_INVALID, "command line: --%s does not go with --%s; call %s once for each", other,
                        question_option(command), hl_program_name("heads"));
    }
    const char *of_treebank = command->relation != NULL                  ? "relation"
                              : command->md != NULL && !command->profile ? "md"
                              : command->trees                           ? "trees"
                              : command->subtypes                        ? "subtypes"
                              : command->punct_and_root                  ? "punct-and-root"
                              : command->without_null                    ? "without-null"
                              : command->max_pieces > 0                  ? "max-pieces"
                                                                         : NULL;
    if (of_treebank != NULL && command->treebank == NULL) {
        return hl_error(HL_INVALID, "command line: --%s is about a treebank: add --treebank FILE", of_treebank);
    }
    if ((command->file != NULL || command->task != NULL) && !asked && !hl_heads_command_shows(command)) {
        const char *name = command->file != NULL ? "file" : "task";
        return hl_error(HL_INVALID, "command line: --%s: for what? add --importance, --prune, --drop or --head", name);
    }
    if (command->prune_to > 0 && command->out == NULL && command->export_to == NULL) {
        return hl_error(HL_INVALID, "command line: --prune-to: where shall it go? add --out FILE, or --export DIR");
    }
    if (command->out != NULL && command->prune_to == 0 && command->examples == NULL) {
        return hl_error(HL_INVALID,
                        "command line: --out: only --prune-to N writes a model, and --examples FILE a folder");
    }
    return hl_ok();
}

/* What --examples puts in the place of a run's own examples, or does not need. */
static hl_status check_examples(const hl_heads_command *c)
{
    const char *other = c->input != NULL ? "input" : c->file != NULL ? "file" : c->task != NULL ? "task" : NULL;
    return c->examples == NULL || other == NULL
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --examples and --%s exclude each other", other);
}

/* --export writes the model and shows nothing of its heads, but for the curve down to the smaller one. */
static hl_status check_export(const hl_heads_command *c)
{
    bool others = hl_heads_command_question(c) != HL_HEADS_NO_QUESTION || hl_heads_command_shows(c) ||
                  c->against != NULL || c->json != NULL || c->csv != NULL || c->report != NULL || c->words ||
                  c->step >= 0 || c->examples != NULL;
    if (c->export_to != NULL && others && c->prune_to == 0) {
        return hl_error(HL_INVALID,
                        "command line: --export goes with no other option but --overwrite, or --prune-to N; call %s "
                        "once for each",
                        hl_program_name("heads"));
    }
    return c->overwrite && c->export_to == NULL && c->examples == NULL
               ? hl_error(HL_INVALID, "command line: --overwrite goes with --export DIR or --examples FILE alone")
               : hl_ok();
}

static hl_status check_outputs(const hl_heads_command *command)
{
    if (hl_output_is_standard(command->npz) || hl_output_is_standard(command->out)) {
        return hl_error(HL_INVALID, "command line: --%s: standard output cannot take this one; name a file",
                        hl_output_is_standard(command->npz) ? "npz" : "out");
    }
    hl_target targets[HL_HEADS_TARGETS];
    hl_heads_command_targets(command, targets);
    return hl_targets_check_distinct(targets, HL_HEADS_TARGETS);
}

static hl_status check(const hl_heads_command *command)
{
    if (command->help || command->version) {
        return hl_ok();
    }
    if (command->run == NULL) {
        return hl_error(HL_INVALID, "command line: no run given, as in: %s runs/copy_task; see --help",
                        hl_program_name("heads"));
    }
    HL_TRY(check_export(command));
    HL_TRY(check_examples(command));
    HL_TRY(check_question(command));
    if (command->against != NULL && (hl_heads_command_shows(command) || command->words || command->step >= 0)) {
        return hl_error(HL_INVALID,
                        "command line: --against compares two runs, and goes with --json, --csv and --report alone");
    }
    if (command->input != NULL && command->step >= 0) {
        return hl_error(HL_INVALID, "command line: --input runs the last checkpoint's weights; leave --step out");
    }
    if (command->input != NULL && (command->example >= 0 || command->report != NULL)) {
        return hl_error(HL_INVALID,
                        "command line: --input and --%s exclude each other: that is of sentences (--examples FILE) or "
                        "of a run's own examples",
                        command->example >= 0 ? "example" : "report");
    }
    return check_outputs(command);
}

hl_status hl_heads_command_parse(int argc, char **argv, hl_heads_command *command)
{
    *command = (hl_heads_command){ .step = -1, .example = -1 };
    HL_TRY(hl_options_read(argc, argv, options, sizeof options / sizeof *options, take_argument, command));
    command->importance = command->importance || command->shapley;
    command->prune = command->prune || command->prune_once || command->prune_to > 0;
    return check(command);
}
