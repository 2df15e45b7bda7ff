#include "tests/runs/found_heads.h"

#include "core/files/json.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"

#include <stdio.h>
#include <string.h>

static found_verdict verdict(const json_t *head, const char *name)
{
    const json_t *value = json_object_get(head, name);
    ck_assert_msg(json_is_boolean(value) || json_is_null(value), "%s is no verdict", name);
    return json_is_null(value) ? FOUND_NOT_KNOWN : json_is_true(value) ? FOUND_YES : FOUND_NO;
}

int found_heads(const char *folder, found_head heads[FOUND_MOST])
{
    run_result run = OK(HEADS(folder, "--json"));
    json_t *root = NULL;
    CHECK_OK(hl_json_parse("output", run.out, strlen(run.out), &root));
    const json_t *list = json_object_get(root, "heads");
    int n = (int)json_array_size(list);
    ck_assert(n > 0 && n <= FOUND_MOST);
    for (int i = 0; i < n; i++) {
        const json_t *head = json_array_get(list, (size_t)i);
        heads[i] = (found_head){ .score = json_number_value(json_object_get(head, "score")),
                                 .baseline = json_number_value(json_object_get(head, "baseline")),
                                 .faithful = verdict(head, "faithful"),
                                 .in_group = verdict(head, "faithful_in_group") };
        snprintf(heads[i].label, sizeof heads[i].label, "%s", json_string_value(json_object_get(head, "label")));
    }
    json_decref(root);
    return n;
}

int found_faithful(const found_head *heads, int n, const char *label, double score)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        bool faithful = heads[i].faithful == FOUND_YES || heads[i].in_group == FOUND_YES;
        found += faithful && strcmp(heads[i].label, label) == 0 && heads[i].score >= score;
    }
    return found;
}

int found_next(const char **at, const char *begin, found_metric *row)
{
    while ((*at = strchr(*at, '\n')) != NULL && *++*at != '\0') {
        int n = sscanf(*at, "%d,%d,%d,%63[^,],%lf,%lf", &row->step, &row->layer, &row->head, row->name, &row->value,
                       &row->baseline);
        if (n == 6 && strncmp(row->name, begin, strlen(begin)) == 0) {
            return 1;
        }
    }
    return 0;
}
