/* What the page explains: every label, metric and term, and which label a mixed head is nearest to. */
#include "core/files/json_text.h"
#include "heads/words.h"
#include "show/private/report_json.h"

/* NULL stands for missing memory throughout. */

static json_t *word_list(void)
{
    json_t *words = json_array();
    hl_word word;
    for (int i = 0; hl_word_at(i, &word); i++) {
        hl_json_append(&words,
                       json_pack("{s:s, s:s, s:s}", "group", word.group, "name", word.name, "meaning", word.meaning));
    }
    return words;
}

static json_t *miss_of(hl_label label, const char *const *relations)
{
    hl_text miss = { 0 };
    hl_label_print_miss(&miss, label, relations);
    return hl_json_take(&miss);
}

static json_t *miss_list(const hl_report_run *run)
{
    json_t *heads = json_array();
    int64_t n = 0;
    for (int l = 0; run->labels != NULL && l < run->maps->n_layers; l++) {
        n += run->maps->n_heads[l];
    }
    for (int64_t i = 0; i < n; i++) {
        hl_json_append(&heads, miss_of(run->labels[i], run->relations));
    }
    return heads;
}

void hl_report_words(hl_text *text, const hl_report_run *runs, int n_runs)
{
    json_t *misses = json_array();
    for (int i = 0; i < n_runs; i++) {
        hl_json_append(&misses, miss_list(&runs[i]));
    }
    hl_report_json_value(text, json_pack("{s:o, s:o}", "words", word_list(), "misses", misses));
}
