#include "tests/runs/answers.h"

#include "core/base/threads.h"
#include "core/files/json.h"
#include "programs/heads/program.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release_json(void *json)
{
    json_decref(json);
}

json_t *answer_owned(json_t *json)
{
    return scratch_own(json, release_json);
}

json_t *answer_json(const char *text)
{
    json_t *root = NULL;
    CHECK_OK(hl_json_parse("output", text, strlen(text), &root));
    return answer_owned(root);
}

static void release_arrays(void *npz)
{
    hl_npz_free(npz);
    free(npz);
}

const hl_npz *answer_arrays(const char *path)
{
    hl_npz *npz = scratch_own(calloc(1, sizeof *npz), release_arrays);
    CHECK_OK(hl_npz_read(path, 1 << 24, npz));
    return npz;
}

json_t *answer_page(const char *page)
{
    const char *begin = strstr(page, "id=\"data\">");
    ck_assert_ptr_nonnull(begin);
    begin = strchr(begin, '>') + 1;
    return answer_json(scratch_format("%.*s", (int)(strstr(begin, "</script>") - begin), begin));
}

double number_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    ck_assert_msg(json_is_number(value), "%s is no number", name);
    return json_number_value(value);
}

const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

json_t *item_at(const json_t *object, const char *name, size_t i)
{
    return json_array_get(json_object_get(object, name), i);
}

void answer_fits(const char *text)
{
    int columns = 0;
    for (const char *at = text; *at != '\0'; at++) {
        columns = *at == '\n' ? 0 : columns + ((*at & 0xC0) != 0x80);
        ck_assert_msg(columns <= 80, "%s", text);
    }
}

void answer_fits_below(const char *text)
{
    const char *end = strchr(text, '\n');
    ck_assert_ptr_nonnull(end);
    answer_fits(end + 1);
}

void answer_has_heads(const char *table)
{
    static const char *const rows[] = { "\nL0H0 ", "\nL0H1 ", "\nL1H0 ", "\nL1H1 " };
    const char *at = table;
    for (int i = 0; i < ROWS(rows); i++) {
        at = strstr(at, rows[i]);
        ck_assert_msg(at != NULL, "%s is missing or out of place in %s", rows[i], table);
    }
}

const char *answer_flat(const char *text)
{
    char *flat = (char *)(size_t)run_kept(text);
    for (char *at = flat; (at = strchr(at, '\n')) != NULL;) {
        *at = ' ';
    }
    return flat;
}

bool answer_says(const char *text, const char *words)
{
    return strstr(answer_flat(text), words) != NULL;
}

int64_t answer_lines(const char *text)
{
    int64_t n = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++) {
        n++;
    }
    return n;
}

/* The exit code of heads in this process; what it printed on standard output in new memory: free. */
static int heads_says(int argc, char **argv, char **said)
{
    size_t size;
    FILE *out = open_memstream(said, &size), *err = fopen("/dev/null", "w");
    ck_assert(out != NULL && err != NULL);
    int code = hl_heads_program(argc, argv, out, err);
    fclose(out);
    fclose(err);
    return code;
}

void answer_without_memory(const char *const *words, int closely, int stride)
{
    int argc = 0, failed = 0;
    char *argv[16] = { NULL };
    for (; words[argc] != NULL; argc++) {
        ck_assert_int_lt(argc, 15);
        argv[argc] = (char *)(size_t)words[argc];
    }
    char *whole = NULL, *said = NULL;
    hl_threads_setup();
    ck_assert_int_eq(heads_says(argc, argv, &whole), 0); /* libraries keep what they allocate at first */
    faults_begin();
    for (int n = 1, code = -1; code != 0 || faults_allocations() >= n; n += n < closely ? 1 : stride) {
        faults_in_memory(n, FAULTS_ONCE);
        code = heads_says(argc, argv, &said);
        ck_assert_msg(code == 0 || code == 5, "allocation %d: exit code %d", n, code);
        ck_assert_msg(code != 0 || strcmp(said, whole) == 0, "allocation %d: not\n%s\nbut\n%s", n, whole, said);
        ck_assert_msg(faults_live_blocks() == 0 && faults_open_files() == 0, "allocation %d: lost", n);
        failed += code == 5;
        free(said);
    }
    ck_assert_int_gt(failed, 10);
    faults_end();
    free(whole);
}

/* ---- what heads were found to do ---- */

static found_verdict verdict(const json_t *head, const char *name)
{
    const json_t *value = json_object_get(head, name);
    ck_assert_msg(json_is_boolean(value) || json_is_null(value), "%s is no verdict", name);
    return json_is_null(value) ? FOUND_NOT_KNOWN : json_is_true(value) ? FOUND_YES : FOUND_NO;
}

int found_heads(const char *folder, found_head heads[FOUND_MOST])
{
    json_t *root = answer_json(OK(HEADS(folder, "--json")).out);
    const json_t *list = json_object_get(root, "heads");
    int n = (int)json_array_size(list);
    ck_assert(n > 0 && n <= FOUND_MOST);
    for (int i = 0; i < n; i++) {
        const json_t *head = json_array_get(list, (size_t)i);
        heads[i] = (found_head){ .score = json_number_value(json_object_get(head, "score")),
                                 .baseline = json_number_value(json_object_get(head, "baseline")),
                                 .faithful = verdict(head, "faithful"),
                                 .in_group = verdict(head, "faithful_in_group") };
        snprintf(heads[i].label, sizeof heads[i].label, "%s", text_at(head, "label"));
    }
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
