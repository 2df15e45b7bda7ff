#include "show/private/report_words.h"

#include "heads/words.h"
#include "show/private/report_json.h"

/* NULL stands for missing memory throughout. */

static bool add_words(json_t *words)
{
    bool good = words != NULL;
    hl_word word;
    for (int i = 0; good && hl_word_at(i, &word); i++) {
        good = json_array_append_new(words, json_pack("{s:s, s:s, s:s}", "group", word.group, "name", word.name,
                                                      "meaning", word.meaning)) == 0;
    }
    return good;
}

static json_t *miss_of(hl_label label, const char *const *relations)
{
    hl_text miss = { 0 };
    hl_text_print(&miss, "%s", ""); /* there are bytes, also where it is not mixed */
    hl_label_print_miss(&miss, label, relations);
    json_t *text = miss.error.code == HL_OK ? json_string(miss.bytes) : NULL;
    hl_text_free(&miss);
    return text;
}

static bool add_misses(json_t *misses, const hl_report_run *run)
{
    json_t *heads = json_array();
    int64_t n = 0;
    for (int l = 0; run->labels != NULL && l < run->maps->n_layers; l++) {
        n += run->maps->n_heads[l];
    }
    bool good = true;
    for (int64_t i = 0; i < n; i++) {
        good = json_array_append_new(heads, miss_of(run->labels[i], run->relations)) == 0 && good;
    }
    return json_array_append_new(misses, heads) == 0 && good;
}

void hl_report_words(hl_text *text, const hl_report_run *runs, int n_runs)
{
    json_t *words = json_array(), *misses = json_array();
    bool good = add_words(words);
    for (int i = 0; i < n_runs; i++) {
        good = add_misses(misses, &runs[i]) && good;
    }
    hl_report_json_value(text, json_pack("{s:o, s:o}", "words", words, "misses", misses), good);
}
