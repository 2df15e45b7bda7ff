#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/importance.h"
#include "programs/heads/table_files.h"
#include "programs/heads/treebank.h"
#include "programs/heads/verb.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>

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

/* What the study takes is checked when the treebank has been read (hl_heads_memory_of_treebank). */
static hl_status memory(hl_heads_need *need)
{
    if (!need->command->importance) {
        return hl_heads_page_memory(need);
    }
    need->bytes = hl_size_sum(hl_heads_model_bytes(need), need->f.measures);
    need->remedy = HL_HEADS_LESS_MEASURING;
    return hl_ok();
}

/* ---- beside importance: what is found ---- */

enum { ORDERS = 2, PRUNED_STEPS = 3 };

/* What --importance found: how much each head matters, which relation it earns, and whether pruning in order of
 * importance would keep the heads that earn one, as Voita et al. 2019 ask (arXiv:1905.09418). The studies are not
 * owned. */
typedef struct joined {
    const hl_heads_importance *importance;
    const hl_syntax_study *syntax;
    int64_t n, n_syntactic; /* heads, and those that earn a relation */
    int64_t *order;         /* (n): heads, the one that the loss with z zero says matters most first */
} joined;

static double importance_of(const joined *both, int order, int64_t head)
{
    const hl_head_importance *h = &both->importance->importance.heads[head];
    return order == 0 ? h->gradient.mean : h->zero.mean;
}

/* By gradient, or by the loss with z zero: 1 matters most, of equals the first. */
static int64_t rank_of(const joined *both, int order, int64_t head)
{
    double own = importance_of(both, order, head);
    int64_t rank = 1;
    for (int64_t other = 0; other < both->n; other++) {
        double its = importance_of(both, order, other);
        rank += its > own || (its == own && other < head);
    }
    return rank;
}

static bool earns(const joined *both, int64_t head)
{
    return both->syntax->labels[head].relation >= 0;
}

/* ln of the ways to choose k of n. */
static double ln_choose(int64_t n, int64_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* The chance that of `drawn` heads out of n, `marked` of which are marked, `found` or more are. */
static double chance_of(int64_t n, int64_t marked, int64_t drawn, int64_t found)
{
    double sum = 0;
    for (int64_t i = found; i <= marked && i <= drawn; i++) {
        if (drawn - i <= n - marked) {
            sum += exp(ln_choose(marked, i) + ln_choose(n - marked, drawn - i) - ln_choose(n, drawn));
        }
    }
    return fmin(sum, 1);
}

/* What is left after 25%, 50% and 75% of the heads are pruned, the least important first. */
typedef struct pruned_step {
    int percent;
    int64_t left, kept; /* heads, and of those that earn a relation */
    double expected;    /* the mean of `kept` if heads are pruned at random */
    double p;           /* the probability that so many or more are kept by chance: the upper tail of the hypergeometric
                           distribution (Fisher's exact test, one-sided) */
} pruned_step;

static pruned_step pruned_step_of(const joined *both, int order, int step)
{
    pruned_step s = { .percent = 100 * (step + 1) / (PRUNED_STEPS + 1) };
    s.left = both->n - both->n * s.percent / 100;
    for (int64_t head = 0; head < both->n; head++) {
        s.kept += earns(both, head) && rank_of(both, order, head) <= s.left;
    }
    s.expected = (double)(both->n_syntactic * s.left) / (double)both->n;
    s.p = chance_of(both->n, both->n_syntactic, s.left, s.kept);
    return s;
}

/* ---- beside importance: for a person ---- */

/* A share of the head's relation; people see nothing where the head earns none. */
static void add_share(hl_row *row, const char *title, const char *key, const hl_syntax_label *label,
                      hl_syntax_rate rate)
{
    if (label->relation >= 0) {
        hl_row_share(row, title, key, hl_syntax_share(rate));
    } else {
        hl_row_text(row, title, NULL, "%s", "");
        hl_row_share(row, NULL, key, hl_syntax_share(rate));
    }
}

static void row_of_joined(const void *context, int64_t head, hl_row *row)
{
    static const char *const titles[] = { "importance", "zero" }, *const ranks[] = { "gradient_rank", "zero_rank" };
    const joined *both = context;
    const hl_syntax_label *label = &both->syntax->labels[head];
    hl_heads_importance_row_of(both->importance, head, row);
    hl_row_text(row, "head", NULL, "%s", hl_head_name_at(&both->importance->run->shape, head).text);
    for (int order = 0; order < ORDERS; order++) {
        hl_row_number(row, titles[order], NULL, 4, importance_of(both, order, head));
        hl_row_integer(row, "rank", ranks[order], rank_of(both, order, head));
    }
    hl_row_text(row, "relation", "relation", "%s", label->relation >= 0 ? label->name : "");
    add_share(row, "held", "held_out", label, label->held_out.found);
    add_share(row, "base", "held_out_baseline", label, label->held_out.baseline);
}

/* The same in the order of the loss with z zero, the head that matters most first. */
static void row_of_rank(const void *context, int64_t index, hl_row *row)
{
    const joined *both = context;
    row_of_joined(both, both->order[index], row);
}

static void row_of_step(const void *context, int64_t step, hl_row *row)
{
    const joined *both = context;
    const pruned_step steps[] = { pruned_step_of(both, 0, (int)step), pruned_step_of(both, 1, (int)step) };
    hl_row_text(row, "pruned", NULL, "%d%%", steps[0].percent);
    hl_row_integer(row, "heads left", NULL, steps[0].left);
    for (int order = 0; order < ORDERS; order++) {
        hl_row_integer(row, order == 0 ? "by gradient" : "by zero", NULL, steps[order].kept);
        hl_row_text(row, "p", NULL, "%.2g", steps[order].p);
    }
    hl_row_number(row, "by chance", NULL, 1, steps[0].expected);
}

static void write_table(hl_text *text, const joined *both)
{
    const hl_importance *importance = &both->importance->importance;
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s: %" PRId64 " heads, on the %" PRId64
                      " examples that score, where the loss is %.4f, and on %s sentences of the treebank.",
                      both->importance->run->path, both->n, importance->n_examples, importance->loss,
                      HL_COUNT(both->syntax->treebank->n_sentences));
    hl_results_print_apart(text, (hl_results){ row_of_rank, both, both->n }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "importance, zero: how much the loss depends on the head, by its gradient and by how much the loss "
        "grows without it. relation: that the head earns as a label; held, base: per cent that it and "
        "the best fixed offset find in sentences 1, 3, 5 .... Sentences 0, 2, 4 ... choose the head's "
        "way; sentences 1, 3, 5 ... choose the offset.");
    hl_text_print(text, "\n");
    if (both->n_syntactic == 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "No head earns a relation: there is none that pruning could keep.");
        return;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%" PRId64 " of %" PRId64
                      " heads earn a relation. Pruned in order of importance, the least important first, so many of "
                      "them are kept:",
                      both->n_syntactic, both->n);
    hl_results_print_apart(text, (hl_results){ row_of_step, both, PRUNED_STEPS }, HL_TABLE_WIDTH, 2);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "by chance: where heads are pruned at random, the mean; p: the chance that so many or more are "
                      "then kept (hypergeometric, Fisher's exact test, one-sided).");
}

/* ---- beside importance: for programs ---- */

/* A step in one order. */
static void row_of_pruned(const void *context, int64_t index, hl_row *row)
{
    const joined *both = context;
    int order = (int)(index / PRUNED_STEPS);
    pruned_step s = pruned_step_of(both, order, (int)(index % PRUNED_STEPS));
    hl_row_text(row, NULL, "order", "%s", order == 0 ? "gradient" : "zero");
    hl_row_integer(row, NULL, "percent", s.percent);
    hl_row_integer(row, NULL, "left", s.left);
    hl_row_integer(row, NULL, "syntactic", both->n_syntactic);
    hl_row_integer(row, NULL, "kept", s.kept);
    hl_row_number(row, NULL, "expected", 0, s.expected);
    hl_row_number(row, NULL, "p", 0, s.p);
}

/* Adds the table: a row a head, the most important first; what is kept at each step; what the columns mean. The same
 * tables as Markdown. JSON: {"step", "weights_step", "examples", "loss", "sentences", "heads": [those of
 * hl_heads_importance_json, with "gradient_rank", "zero_rank", "relation", "held_out", "held_out_baseline"], "pruned":
 * [{"order" ("gradient" or "zero"), "percent", "left", "syntactic", "kept", "expected", "p"}]}; CSV: the heads.
 * HL_NO_MEMORY is left on the texts. */
static void answer_of(hl_heads_answer *answer, const joined *both)
{
    write_table(&answer->table, both);
    const hl_heads_importance *study = both->importance;
    json_t *step = study->step >= 0 ? json_integer(study->step) : json_null();
    json_t *weights_step = study->weights_step >= 0 ? json_integer(study->weights_step) : json_null();
    hl_json_print_document(
        &answer->json,
        json_pack("{s:o, s:o, s:I, s:o, s:I, s:o, s:o}", "step", step, "weights_step", weights_step, "examples",
                  (json_int_t)study->importance.n_examples, "loss", hl_json_number(study->importance.loss), "sentences",
                  (json_int_t)both->syntax->treebank->n_sentences, "heads",
                  hl_results_json((hl_results){ row_of_joined, both, both->n }), "pruned",
                  hl_results_json((hl_results){ row_of_pruned, both, (int64_t)ORDERS * PRUNED_STEPS })));
    hl_results_csv(&answer->csv, (hl_results){ row_of_joined, both, both->n });
    hl_results_markdown(&answer->markdown, (hl_results){ row_of_rank, both, both->n });
    hl_text_print(&answer->markdown, "\n");
    hl_results_markdown(&answer->markdown, (hl_results){ row_of_step, both, PRUNED_STEPS });
}

static hl_status deliver_both(const hl_heads_call *call, const hl_heads_importance *importance,
                              const hl_syntax_study *syntax)
{
    joined both = { .importance = importance, .syntax = syntax, .n = importance->importance.n };
    both.order = hl_calloc((size_t)both.n, sizeof *both.order);
    HL_NEED(both.order != NULL, "the heads of a treebank");
    for (int64_t head = 0; head < both.n; head++) {
        both.n_syntactic += earns(&both, head);
        both.order[rank_of(&both, 1, head) - 1] = head;
    }
    hl_heads_answer answer = { 0 };
    answer_of(&answer, &both);
    hl_status status = hl_heads_deliver(&call->command, &answer, call->out);
    hl_free(both.order);
    return status;
}

/* Reads the treebank before anything is measured. */
static hl_status join_importance(hl_heads_call *call, hl_heads_importance *importance)
{
    hl_syntax_study syntax;
    hl_waiting waiting = { .out = call->err };
    hl_syntax_question question = hl_heads_treebank_question(&call->command, &waiting);
    question.null = false;
    hl_status status = hl_syntax_study_read(&syntax, &call->model, &question);
    hl_heads_need need;
    HL_THEN(status, hl_heads_memory_of_treebank(&syntax, &question, &call->command, &need));
    HL_THEN(status, hl_heads_need_check(&need, hl_memory_at_hand_now()));
    HL_THEN(status, hl_heads_importance_measure(importance, call));
    HL_THEN(status, hl_syntax_study_make(&syntax, &question));
    hl_waiting_end(&waiting);
    HL_THEN(status, deliver_both(call, importance, &syntax));
    hl_syntax_study_free(&syntax);
    return status;
}

/* ---- the verb ---- */

/* The table of relations, and where the heads are looked at what stands around their own. */
static hl_status show(hl_heads_call *call)
{
    hl_syntax_study syntax = { 0 };
    hl_heads_table_files files = { .call = call, .syntax = &syntax };
    hl_status status = hl_heads_table_files_begin(&files);
    HL_THEN(status, hl_heads_treebank_study(&syntax, &call->model, &call->command, call->err));
    HL_THEN(status, hl_heads_treebank_show(&syntax, &call->command, call->out));
    if (hl_heads_command_looks(&call->command)) {
        HL_THEN(status, hl_heads_table_files_make(&files));
    }
    hl_heads_table_files_free(&files);
    hl_syntax_study_free(&syntax);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    if (call->command.importance) {
        HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_loss));
        hl_heads_importance importance = { 0 };
        hl_status status = hl_ranks_leads(call->ranks) ? join_importance(call, &importance)
                                                       : hl_heads_importance_measure(&importance, call);
        hl_heads_importance_free(&importance);
        return status;
    }
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    hl_heads_treebank_choose_examples(call);
    return show(call);
}

const hl_heads_verb hl_heads_verb_grammar = {
    .name = "grammar",
    .does = "which head finds which relation of a treebank",
    .example = "grammar minilm/ my.conllu",
    .help = hl_heads_help_grammar,
    .options = "relation wide trees subtypes punct-and-root max-pieces without-null importance task file step json csv "
               "md png svg pdf report examples out overwrite",
    .object = "TREEBANK",
    .object_needed = true,
    .shares = shares,
    .check = check,
    .memory = memory,
    .run = run,
};
