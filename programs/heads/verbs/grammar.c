#include "core/base/memory.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/help.h"
#include "programs/heads/importance.h"
#include "programs/heads/importance_syntax.h"
#include "programs/heads/memory.h"
#include "programs/heads/table_files.h"
#include "programs/heads/treebank.h"
#include "programs/heads/verb.h"

static const hl_option options[] = {
    HL_HEADS_HELP_OPTIONS,
    { HL_HEADS_OPTION("relation", TEXT, relation) },
    { HL_HEADS_OPTION("wide", FLAG, wide) },
    { HL_HEADS_OPTION("trees", FLAG, trees) },
    { HL_HEADS_OPTION("subtypes", FLAG, subtypes) },
    { HL_HEADS_OPTION("punct-and-root", FLAG, punct_and_root) },
    { HL_HEADS_OPTION("max-pieces", INTEGER, max_pieces), .least = 2, .most = INT64_MAX },
    { HL_HEADS_OPTION("without-null", FLAG, without_null) },
    { HL_HEADS_OPTION("importance", FLAG, importance) },
    HL_HEADS_TASK_OPTIONS,
    { HL_HEADS_OPTION("step", INTEGER, step), .most = INT64_MAX },
    HL_HEADS_TABLE_OPTIONS,
    HL_HEADS_FIGURE_OPTIONS,
    { HL_HEADS_OPTION("report", FILE, files.report) },
    { HL_HEADS_OPTION("examples", TEXT, examples) },
    { HL_HEADS_OPTION("out", TEXT, out) },
    { HL_HEADS_OPTION("overwrite", FLAG, overwrite) },
};

static bool shares(const hl_heads_command *command)
{
    return command->importance;
}

/* The option of the first figure that is asked for; NULL: none is. */
static const char *figure_of(const hl_heads_files *files)
{
    return files->png != NULL ? "png" : files->svg != NULL ? "svg" : files->pdf != NULL ? "pdf" : NULL;
}

/* --importance has a table of its own, and a relation's table no figure. */
static hl_status check(const hl_heads_command *c)
{
    const char *one = c->importance ? "importance" : "relation", *other = NULL;
    const char *of_loss = c->step >= 0 ? "step" : c->task != NULL ? "task" : c->file != NULL ? "file" : NULL;
    if (c->importance) {
        other = c->relation != NULL       ? "relation"
                : c->trees                ? "trees"
                : c->examples != NULL     ? "examples"
                : c->files.report != NULL ? "report"
                                          : figure_of(&c->files);
    } else if (of_loss != NULL) {
        return hl_error(HL_INVALID, "command line: --%s needs --importance", of_loss);
    } else if (c->relation != NULL) {
        other = c->trees ? "trees" : figure_of(&c->files);
    }
    return other == NULL ? hl_heads_examples_check(c)
                         : hl_error(HL_INVALID, "command line: --%s and --%s exclude each other", one, other);
}

/* What the study takes is checked when the treebank has been read (hl_heads_memory_check_treebank). */
static hl_status memory(const hl_opened_model *model, const hl_heads_command *command, const hl_footprint *f,
                        size_t *bytes, const char **remedy)
{
    if (!command->importance) {
        return hl_heads_page_memory(model, command, f, bytes, remedy);
    }
    *bytes = hl_size_sum(f->kernels, hl_size_sum(hl_footprint_sum(f, HL_STANDS_MODEL), f->measures));
    *remedy = HL_HEADS_LESS_MEASURING;
    return hl_ok();
}

/* ---- beside importance ---- */

static hl_status deliver_both(const hl_heads_call *call, const hl_heads_importance *importance,
                              const hl_syntax_study *syntax)
{
    hl_heads_importance_syntax both;
    HL_TRY(hl_heads_importance_syntax_make(&both, importance, syntax));
    hl_heads_answer answer = { 0 };
    hl_heads_importance_syntax_answer(&answer, &both);
    hl_heads_importance_syntax_free(&both);
    return hl_heads_deliver(&call->command, &answer, call->out);
}

/* Reads the treebank before anything is measured. */
static hl_status join_importance(hl_heads_call *call, hl_heads_importance *importance)
{
    hl_syntax_study syntax;
    hl_waiting waiting = { .out = call->err };
    hl_syntax_question question = hl_heads_treebank_question(&call->command, &waiting);
    question.null = false;
    hl_status status = hl_syntax_study_read(&syntax, &call->model, &question);
    HL_THEN(status, hl_heads_memory_check_treebank(&syntax, &question, &call->command, hl_memory_at_hand_now()));
    HL_THEN(status, hl_heads_importance_measure(importance, call));
    HL_THEN(status, hl_syntax_study_make(&syntax, &question));
    hl_waiting_end(&waiting);
    HL_THEN(status, deliver_both(call, importance, &syntax));
    hl_syntax_study_free(&syntax);
    return status;
}

/* ---- the verb ---- */

/* The table of relations, and where the heads are looked at what stands around their own. */
static hl_status show(hl_heads_call *call, hl_heads_table_files *files)
{
    hl_syntax_study syntax = { 0 };
    files->syntax = &syntax;
    hl_status status = hl_heads_table_files_find_folder(files);
    HL_THEN(status, hl_heads_call_read(call));
    HL_THEN(status, hl_heads_call_begin(call));
    HL_THEN(status, hl_heads_treebank_study(&syntax, &call->model, &call->command, call->err));
    HL_THEN(status, hl_heads_treebank_show(&syntax, &call->command, call->out));
    if (hl_heads_command_looks(&call->command)) {
        HL_THEN(status, hl_heads_table_files_make(files));
    }
    hl_heads_table_files_free(files);
    hl_syntax_study_free(&syntax);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    hl_heads_command *command = &call->command;
    if (command->importance) {
        HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_loss));
        hl_heads_importance importance = { 0 };
        hl_status status = hl_ranks_leads(call->ranks) ? join_importance(call, &importance)
                                                       : hl_heads_importance_measure(&importance, call);
        hl_heads_importance_free(&importance);
        return status;
    }
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    hl_heads_treebank_choose_examples(call);
    hl_heads_table_files files = { .call = call };
    return show(call, &files);
}

const hl_heads_verb hl_heads_verb_grammar = {
    .name = "grammar",
    .does = "which head finds which relation of a treebank",
    .example = "grammar minilm/ my.conllu",
    .help = hl_heads_help_grammar,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .object = "TREEBANK",
    .object_needed = true,
    .shares = shares,
    .check = check,
    .memory = memory,
    .run = run,
};
