#include "show/private/report_json.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "show/private/packed.h"

#include <stdio.h>
#include <string.h>

/* NULL stands for missing memory throughout. */

static json_t *integers(const int32_t *numbers, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) {
        hl_json_append(&list, json_integer(numbers[i]));
    }
    return list;
}

/* The name of an id, its white space as signs that can be seen. */
static json_t *name_of(const hl_vocabulary *names, int32_t id)
{
    if (names == NULL || id < 0 || id >= hl_vocabulary_size(names)) {
        char text[16];
        snprintf(text, sizeof text, "%d", (int)id);
        return json_string(text);
    }
    static const char white[] = " \n\t", *const signs[] = { "\xe2\x90\xa3", "\xe2\x86\xb5", "\xe2\x87\xa5" };
    hl_text seen = { 0 };
    hl_text_print(&seen, "%s", "");
    for (const char *at = hl_vocabulary_token(names, id); *at != '\0'; at++) {
        const char *found = strchr(white, *at), *sign = found != NULL ? signs[found - white] : NULL;
        hl_text_add(&seen, sign != NULL ? sign : at, sign != NULL ? strlen(sign) : 1);
    }
    json_t *text = seen.bytes != NULL ? hl_report_shown_text(seen.bytes, false) : NULL;
    hl_text_free(&seen);
    return text;
}

static json_t *answer_name(const hl_report_run *run, int32_t id)
{
    return id == HL_UNSEEN ? json_string(run->targets != run->vocabulary ? "unseen in training" : "?")
                           : name_of(run->targets != NULL ? run->targets : run->vocabulary, id);
}

/* ---- examples ---- */

/* Each query's gold key: its position, or -1. */
static json_t *gold_row(json_t *name, const int32_t *keys, int64_t n)
{
    return json_pack("{s:o, s:o}", "name", name, "keys", integers(keys, n));
}

static json_t *relation_name(const hl_report_run *run, int64_t r)
{
    if (run->relations != NULL) {
        return hl_report_shown_text(run->relations[r], false);
    }
    char text[32];
    snprintf(text, sizeof text, "relation %lld", (long long)r);
    return json_string(text);
}

/* Adds the word that each token belongs to, and the texts of all words. */
static void add_words_of_text(json_t **example, const hl_report_run *run, int64_t e)
{
    const hl_examples *examples = &run->maps->examples;
    const int32_t *words = examples->words + e * examples->n_tokens;
    int64_t n = examples->lengths[e];
    json_t *texts = json_array();
    for (int64_t i = 0; i < n; i++) {
        if (words[i] >= 0 && (i == 0 || words[i - 1] != words[i])) {
            hl_json_append(&texts, hl_report_shown_text(hl_word_forms_text(run->words, e, i), false));
        }
    }
    hl_json_set(example, "word_of", integers(words, n));
    hl_json_set(example, "word_texts", texts);
}

static json_t *example_object(const hl_report_run *run, int64_t e)
{
    const hl_examples *all = &run->maps->examples;
    int64_t T = all->n_tokens, R = all->n_relations, n = all->lengths[e];
    json_t *tokens = json_array(), *gold = json_array();
    for (int64_t i = 0; i < n; i++) {
        hl_json_append(&tokens, name_of(run->vocabulary, all->tokens != NULL ? all->tokens[e * T + i] : (int32_t)i));
    }
    if (all->sources != NULL) {
        hl_json_append(&gold, gold_row(json_string("source"), all->sources + e * T, n));
    }
    for (int64_t r = 0; r < R; r++) {
        hl_json_append(&gold, gold_row(relation_name(run, r), all->relations + (e * R + r) * T, n));
    }
    json_t *example = json_pack("{s:o, s:o}", "tokens", tokens, "gold", gold);
    /* The targets are ids; the run's `words` holds their texts. */
    if (all->targets != NULL) {
        hl_json_set(&example, "targets", integers(all->targets + e * T, n));
    }
    if (run->words != NULL && all->words != NULL) {
        add_words_of_text(&example, run, e);
    }
    return example;
}

/* Adds each id's word, once. */
static void add_words(json_t **words, const hl_report_run *run, const int32_t *ids)
{
    int64_t n = ids != NULL ? run->maps->examples.n_examples * run->maps->examples.n_tokens : 0;
    for (int64_t i = 0; i < n; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", (int)ids[i]);
        if (ids[i] != HL_IGNORE && json_object_get(*words, key) == NULL) {
            hl_json_set(words, key, answer_name(run, ids[i]));
        }
    }
}

/* Of all targets and predictions. */
static json_t *word_object(const hl_report_run *run)
{
    json_t *words = json_object();
    add_words(&words, run, run->maps->examples.targets);
    for (int64_t i = 0; i < run->maps->n_kept; i++) {
        add_words(&words, run, run->maps->kept[i].predictions);
    }
    return words;
}

/* ---- heads ---- */

/* Adds the members that effects have. */
static void add_effect(json_t **object, const hl_head_effect *effect)
{
    bool known = effect->faithful != HL_FAITHFUL_UNKNOWN;
    json_t *faithful = known ? json_boolean(effect->faithful == HL_FAITHFUL_YES) : json_null();
    hl_json_set(object, "importance", hl_json_number(effect->importance));
    hl_json_set(object, "loss_without", hl_json_number(effect->loss_without));
    hl_json_set(object, "standard_error", hl_json_number(effect->standard_error));
    hl_json_set(object, "kept", hl_json_number(effect->kept));
    hl_json_set(object, "faithful", faithful);
}

static json_t *group_object(const hl_group_effect *group)
{
    json_t *object = json_pack("{s:I}", "heads", (json_int_t)group->n_heads);
    add_effect(&object, &group->effect);
    return object;
}

/* Adds what the head writes. */
static void add_writes(json_t **object, const hl_writes *writes, int layer, int64_t h, int64_t index)
{
    hl_copies copies = writes->heads[index].copies;
    for (int i = 0; writes->has_answers && i < writes->n_writers; i++) {
        const hl_writer *writer = &writes->writers[i];
        if (writer->kind == HL_WRITER_HEAD && writer->layer == layer && writer->number == h) {
            hl_json_set(object, "direct", hl_json_number(writer->direct.mean));
            hl_json_set(object, "direct_error", hl_json_number(writer->direct.error));
        }
    }
    if (copies.n > 0) {
        hl_json_set(object, "copies", hl_json_number(copies.score));
        hl_json_set(object, "copies_earned", json_boolean(copies.earned));
    }
}

static json_t *head_object(const hl_report_run *run, int layer, int64_t h, int64_t index)
{
    json_t *head = json_pack("{s:i, s:I}", "layer", layer, "head", (json_int_t)h);
    const hl_label *label = run->labels != NULL ? &run->labels[index] : NULL;
    if (label != NULL) {
        hl_json_set(&head, "label", hl_report_shown_text(hl_label_text_of(*label, run->relations).text, false));
        hl_json_set(&head, "score", hl_json_number(label->score.value));
        hl_json_set(&head, "baseline", hl_json_number(label->score.baseline));
        hl_json_set(&head, "meaning", hl_report_shown_text(hl_label_meaning_of(*label, run->relations).text, false));
        if (run->nulls != NULL) {
            hl_json_set(&head, "null", hl_json_number(run->nulls[index]));
        }
    }
    if (run->effects != NULL) {
        const hl_group_effect *group = label != NULL ? hl_effects_group(run->effects, layer, *label) : NULL;
        add_effect(&head, &run->effects->heads[index]);
        if (group != NULL) {
            hl_json_set(&head, "group", group_object(group));
        }
    }
    if (run->writes != NULL) {
        add_writes(&head, run->writes, layer, h, index);
    }
    if (run->seconds != NULL) {
        hl_json_set(&head, "grammar", hl_report_syntax_label(&run->seconds[index]));
    }
    if (run->matches != NULL) {
        const hl_head_match *match = &run->matches[index];
        hl_json_set(&head, "match",
                    json_pack("{s:I, s:o}", "head", (json_int_t)match->head, "js", hl_json_number(match->js)));
    }
    return head;
}

/* ---- a treebank ---- */

static json_t *syntax_steps_object(const hl_report_syntax_steps *syntax)
{
    int64_t R = syntax->n_relations, H = syntax->n_heads;
    json_t *steps = json_array(), *relations = json_array();
    for (int64_t s = 0; s < syntax->n_steps; s++) {
        hl_json_append(&steps, json_integer((json_int_t)syntax->steps[s]));
    }
    for (int64_t r = 0; r < R; r++) {
        hl_syntax_rate baseline = syntax->baselines[r];
        hl_json_append(&relations,
                       json_pack("{s:o, s:I, s:o, s:o}", "name", hl_report_shown_text(syntax->names[r], false), "cases",
                                 (json_int_t)baseline.cases, "baseline", hl_json_number(hl_syntax_share(baseline)),
                                 "births", integers(syntax->births + r * H, H)));
    }
    return json_pack("{s:o, s:o, s:o}", "steps", steps, "relations", relations, "found",
                     hl_report_floats(syntax->found, syntax->n_steps * R * H));
}

/* ---- the text ---- */

static int add_piece(const char *bytes, size_t size, void *context)
{
    hl_text *text = context;
    const char *end = bytes + size;
    for (const char *less; (less = memchr(bytes, '<', (size_t)(end - bytes))) != NULL; bytes = less + 1) {
        hl_text_add(text, bytes, (size_t)(less - bytes)); /* it stands in strings alone */
        hl_text_print(text, "\\u003c");
    }
    hl_text_add(text, bytes, (size_t)(end - bytes));
    return hl_text_status(text).code == HL_OK ? 0 : -1;
}

void hl_report_json_value(hl_text *text, json_t *value)
{
    size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY;
    if (value == NULL || json_dump_callback(value, add_piece, text, flags) != 0) {
        hl_text_fail(text, hl_error_memory("a report's data"));
    }
    json_decref(value);
}

static void print_member(hl_text *text, const char *key, json_t *value)
{
    hl_text_print(text, ",\"%s\":", key);
    hl_report_json_value(text, value);
}

/* A text whose lines stay; nothing where it is NULL. */
static void print_lines(hl_text *text, const char *key, const char *lines)
{
    if (lines != NULL) {
        print_member(text, key, hl_report_shown_text(lines, true));
    }
}

static hl_status pack_piece(void *context, const char *bytes, size_t size)
{
    hl_packer *packer = context;
    hl_packer_add(packer, bytes, size);
    return hl_text_status(packer->text);
}

/* Of how many snapshots and examples there are maps, and whether rows are left out; nothing where the page has all. */
static void print_left_out(hl_text *text, const hl_report_run *run)
{
    const hl_report_maps *maps = run->maps;
    int64_t most = maps->max_examples > 0 ? maps->max_examples : HL_REPORT_EXAMPLES;
    bool rows = hl_report_has_many_rows(run->csv),
         examples = maps->examples.n_examples < most && maps->examples.n_examples < maps->n_recorded;
    if (rows || examples || maps->stride > 1) {
        print_member(text, "left_out",
                     json_pack("{s:I, s:I, s:b}", "snapshots", (json_int_t)maps->n_added, "examples",
                               (json_int_t)maps->n_recorded, "rows", (int)rows));
    }
}

/* heads.csv is packed as it is printed. */
static void print_readings(hl_text *text, const hl_report_run *run)
{
    hl_packer packer;
    hl_text csv = { .drain = pack_piece, .context = &packer };
    hl_text_print(text, ",\"readings\":\"");
    hl_packer_begin(&packer, text);
    hl_report_rows_print(&csv, run);
    hl_text_flush(&csv);
    hl_packer_end(&packer);
    hl_text_fail(text, hl_text_status(&csv));
    hl_text_free(&csv);
    hl_text_print(text, "\"");
}

static void print_snapshot(hl_text *text, const hl_report_maps *maps, const hl_report_map *map)
{
    size_t answers = (size_t)(maps->examples.n_examples * maps->examples.n_tokens) * sizeof(int32_t);
    json_t *snapshot =
        json_pack("{s:I, s:o}", "step", (json_int_t)map->step, "levels", json_string_nocheck(map->levels));
    if (map->predictions != NULL) {
        hl_json_set(&snapshot, "predictions", hl_report_packed_text(hl_packed(map->predictions, answers)));
    }
    hl_report_json_value(text, snapshot);
}

/* What the steps are called. */
static json_t *stage_object(const hl_report_run *run)
{
    char last[32];
    snprintf(last, sizeof last, "%lld", (long long)run->maps->kept[run->maps->n_kept - 1].step);
    return json_pack("{s:s, s:s}", "0", "random weights", last, run->last_stage);
}

void hl_report_json(hl_text *text, const hl_report_run *run)
{
    const hl_report_maps *maps = run->maps;
    hl_text_print(text, "{\"name\":");
    hl_report_json_value(text, hl_report_shown_text(run->name, false));
    print_lines(text, "config", run->config);
    if (run->about != NULL) {
        print_member(text, "about", hl_report_shown_text(run->about, false));
    }
    if (run->last_stage != NULL) {
        print_member(text, "stages", stage_object(run));
    }
    if (run->metrics_csv != NULL) {
        print_member(text, "metrics", hl_report_packed_text(hl_packed(run->metrics_csv, strlen(run->metrics_csv))));
    }
    print_lines(text, "scores", run->scores_csv);
    print_lines(text, "confusion", run->confusion_csv);
    if (run->csv != NULL) {
        print_readings(text, run);
    }
    if (run->syntax_steps != NULL) {
        print_member(text, "syntax_steps", syntax_steps_object(run->syntax_steps));
    }
    print_member(text, "causal", json_boolean(run->maps->causal));
    print_member(text, "thinned", json_boolean(run->maps->stride > 1));
    print_left_out(text, run);
    print_member(text, "words", word_object(run));
    json_t *examples = json_array();
    for (int64_t e = 0; e < maps->examples.n_examples; e++) {
        hl_json_append(&examples, example_object(run, e));
    }
    print_member(text, "examples", examples);
    hl_text_print(text, ",\"snapshots\":");
    for (int64_t i = 0; i < maps->n_kept; i++) {
        hl_text_print(text, "%s", i > 0 ? "," : "[");
        print_snapshot(text, maps, &maps->kept[i]);
    }
    hl_text_print(text, "]");
    json_t *heads = json_array();
    for (int64_t l = 0, index = 0; l < maps->n_layers; l++) {
        for (int64_t h = 0; h < maps->n_heads[l]; h++) {
            hl_json_append(&heads, head_object(run, (int)l, h, index++));
        }
    }
    print_member(text, "heads", heads);
    if (run->syntax != NULL) {
        print_member(text, "syntax", hl_report_syntax_object(run->syntax));
    } else if (run->coreference != NULL) {
        print_member(text, "syntax", hl_report_coreference_object(run->coreference));
    }
    if (run->writes != NULL && run->writes->has_answers) {
        print_member(text, "logit", hl_json_number(run->writes->logit.mean));
    }
    if (run->pass != NULL) {
        print_member(text, "pass", hl_report_pass_object(run->pass));
    }
    hl_text_print(text, "}");
}
