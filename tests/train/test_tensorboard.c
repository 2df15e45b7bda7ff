/* TensorBoard's events of runs: the same values as metrics.csv and heads.csv, one a step and tag however a run is
 * stopped, and what is kept when it goes on. What TensorBoard makes of them: tests/peer/check_tensorboard.py. */
#include "core/base/text.h"
#include "core/files/files.h"
#include "tests/check_suite.h"
#include "tests/runs/faulty_runs.h"
#include "tests/runs/kills.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"
#include "train/private/events.h"
#include "train/signals.h"
#include "train/tensorboard.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS "events.out.tfevents.headlight"
#define ON "train.tensorboard=true"

/* ---- a reader of its own ---- */

enum { MOST_VALUES = 4096 };

typedef struct value {
    int64_t step;
    char tag[64];
    bool is_number;
    float number;
    size_t image; /* its bytes */
} value;

typedef struct events {
    unsigned char *bytes;
    size_t size;
    value values[MOST_VALUES];
    int n;
} events;

static events found;

static uint64_t take_varint(unsigned char **at)
{
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
        number |= (uint64_t)(**at & 0x7f) << shift;
        if (*(*at)++ < 0x80) {
            return number;
        }
    }
}

/* The field that *at begins with: returns its number, and the bytes that it holds. */
static int take_field(unsigned char **at, unsigned char **held, size_t *size)
{
    static const size_t fixed[8] = { [1] = 8, [5] = 4 };
    uint64_t key = take_varint(at);
    *held = *at;
    if ((key & 7) == 0) {
        take_varint(at);
        *size = (size_t)(*at - *held);
    } else {
        *size = (key & 7) == 2 ? take_varint(at) : fixed[key & 7];
        *held = *at;
        *at += *size;
    }
    return (int)(key >> 3);
}

static void read_value(unsigned char *at, size_t size, int64_t step)
{
    ck_assert_int_lt(found.n, MOST_VALUES);
    value *v = &found.values[found.n++];
    *v = (value){ .step = step };
    unsigned char *held = at;
    size_t n;
    for (unsigned char *end = at + size; at < end;) {
        int field = take_field(&at, &held, &n);
        if (field == 1) {
            snprintf(v->tag, sizeof v->tag, "%.*s", (int)n, (const char *)held);
        } else if (field == 2) {
            v->is_number = true;
            memcpy(&v->number, held, sizeof v->number);
        } else if (field == 4) {
            v->image = n;
        }
    }
    if (strncmp(v->tag, "tokens_per_second/", 18) == 0) { /* a matter of time, and so set to 0 */
        memset(held, 0, sizeof v->number);
    }
}

/* Reads the values of the run into `found`, and sets in its bytes what is a matter of time to 0. Each step and tag must
 * have one value alone, and steps must not go back. */
static void read_events(const char *folder)
{
    size_t whole;
    char *bytes_read = scratch_read(run_file(folder, EVENTS), &whole);
    free(found.bytes);
    found = (events){ .bytes = (unsigned char *)bytes_read, .size = whole };
    ck_assert_ptr_nonnull(found.bytes);
    int64_t step = 0;
    for (size_t at = 0, n; at < found.size; at += n) {
        int64_t before = step;
        n = hl_event_read((char *)found.bytes + at, found.size - at, &step);
        ck_assert_msg(n > 0 && step >= before, "byte %zu is no record, or one of an earlier step", at);
        unsigned char *event = found.bytes + at + 12, *end = event + n - 16, *held;
        memset(found.bytes + at + 13, 0, 8);
        memset(found.bytes + at + n - 4, 0, 4);
        for (size_t size; event < end;) {
            if (take_field(&event, &held, &size) != 5) {
                continue;
            }
            for (unsigned char *summary = held, *of; summary < held + size;) {
                size_t bytes;
                ck_assert_int_eq(take_field(&summary, &of, &bytes), 1);
                read_value(of, bytes, step);
            }
        }
    }
    for (int i = 0; i < found.n; i++) {
        for (int j = 0; j < i; j++) {
            ck_assert_msg(found.values[i].step != found.values[j].step ||
                              strcmp(found.values[i].tag, found.values[j].tag) != 0,
                          "two values of %s at step %d", found.values[i].tag, (int)found.values[i].step);
        }
    }
}

static const value *find_value(int64_t step, const char *tag)
{
    for (int i = 0; i < found.n; i++) {
        if (found.values[i].step == step && strcmp(found.values[i].tag, tag) == 0) {
            return &found.values[i];
        }
    }
    return NULL;
}

static int count_values(const char *begin)
{
    int n = 0;
    for (int i = 0; i < found.n; i++) {
        n += strncmp(found.values[i].tag, begin, strlen(begin)) == 0;
    }
    return n;
}

static void assert_same_events(const char *folder, const char *other)
{
    read_events(other);
    size_t size = found.size;
    unsigned char *bytes = found.bytes;
    found.bytes = NULL;
    read_events(folder);
    ck_assert_uint_eq(found.size, size);
    ck_assert_mem_eq(found.bytes, bytes, size);
    free(bytes);
}

/* Every row of metrics.csv must have its values, and there are no others of metrics. Returns how many rows there
 * are. */
static int assert_metrics(const char *folder)
{
    read_events(folder);
    const char *header = run_read(run_file(folder, "metrics.csv")), *line = strchr(header, '\n') + 1;
    int rows = 0, fields = 0, values = 0;
    for (; *line != '\0'; line = strchr(line, '\n') + 1, rows++) {
        char *at, split[16];
        long step = strtol(line, &at, 10);
        snprintf(split, sizeof split, "%.*s", (int)strcspn(at + 1, ","), at + 1);
        at += 1 + strlen(split);
        for (const char *name = strstr(header, "loss"); *at == ','; name += strcspn(name, ",\n") + 1) {
            const char *tag = scratch_format("%.*s/%s", (int)strcspn(name, ",\n"), name, split);
            const value *v = find_value(step, tag);
            bool empty = at[1] == ',' || at[1] == '\n', speed = strstr(tag, "_second/") != NULL;
            double number = empty ? 0 : strtod(at + 1, NULL);
            at += 1 + strcspn(at + 1, ",\n");
            ck_assert_msg((v == NULL) == empty, "%s at step %ld", tag, step);
            ck_assert(v == NULL || speed || (v->is_number && fabs(v->number - number) <= 1e-6 * fabs(number)));
            fields += !empty;
        }
    }
    for (int i = 0; i < found.n; i++) {
        const char *split = strchr(found.values[i].tag, '/');
        values += split != NULL && (strcmp(split, "/train") == 0 || strcmp(split, "/validation") == 0);
    }
    ck_assert_int_eq(values, fields);
    return rows;
}

/* ---- what is in it ---- */

enum { TASKS = 4 }; /* masked, next, tags, classes; after them a toy task */

LOOP_TEST(it_holds_every_row_score_and_map_and_changes_nothing_else, 0, TASKS + 1)
{
    bool text = _i < TASKS;
    const char *config = text ? text_config(_i) : run_tiny_config();
    const char *plain = run_path("plain"), *folder = run_path("run"), *last = text ? "12" : "24";
    EXPECT_RUN(0, config, "--out", plain);
    EXPECT_RUN(0, config, ON, "--out", folder);
    run_assert_same(plain, folder);
    run_assert_same_file(plain, folder, "heads.csv");
    ck_assert_ptr_null(strstr(run_list(plain), "tfevents"));
    ck_assert_int_eq(assert_metrics(folder), text ? 6 + 4 : 12 + 7);
    ck_assert_int_eq(count_values("config"), 1);
    ck_assert_int_eq(count_values("_hparams_/"), 1);
    ck_assert_int_eq(count_values("maps/"), 4 * run_count_snapshots(folder));
    static const char *const others[] = { "best.offset",      "alignment.hit_rate",    "entropy",
                                          "distance",         "distance.signed",       "duplicate.past",
                                          "duplicate.future", "induction.mirrored",    "rare",
                                          "importance",       "importance.normalised", "loss_without" };
    int scores = 0;
    for (const char *line = strchr(run_read(run_file(folder, "heads.csv")), '\n') + 1; *line != '\0';) {
        int layer, head, length = 0;
        long step;
        char metric[64];
        ck_assert_int_eq(sscanf(line, "%ld,%d,%d,%63[^,],%n", &step, &layer, &head, metric, &length), 4);
        const char *tag = scratch_format("heads.%s/L%dH%d", metric, layer, head);
        const value *score = find_value(step, tag);
        double number = strtod(line + length, NULL);
        bool left_out = strpbrk(metric, "()") != NULL || strncmp(metric, "all.", 4) == 0;
        for (size_t m = 0; m < sizeof others / sizeof *others; m++) {
            left_out = left_out || strcmp(metric, others[m]) == 0;
        }
        ck_assert_msg((score == NULL) == left_out, "%s at step %ld", tag, step);
        ck_assert(score == NULL || (score->is_number && fabs(score->number - number) <= 1e-6 * fabs(number)));
        scores += score != NULL;
        line = strchr(line, '\n') + 1;
    }
    ck_assert_int_eq(scores, count_values("heads."));
    ck_assert_int_eq(scores % (4 * run_count_snapshots(folder)), 0);
    ck_assert_ptr_nonnull(find_value(atoi(last), _i == 0 ? "heads.next_word/L1H1" : "heads.best/L1H1"));
    ck_assert_int_eq(find_value(atoi(last), "heads.alignment/L1H1") != NULL, !text);
    ck_assert_ptr_null(find_value(atoi(last), "heads.distance/L1H1"));
    ck_assert_uint_gt(find_value(atoi(last), "maps/L1H1")->image, 1000);
}

TEST(the_first_heads_of_many_are_shown_and_none_where_none_is_recorded)
{
    const char *config = run_tiny_config(), *folder = run_path("run"), *other = run_path("other");
    EXPECT_RUN(0, config, ON, "model.heads=48", "model.d_model=48", "train.steps=1", "patterns.examples=1", "--out",
               folder);
    read_events(folder);
    ck_assert_int_eq(count_values("maps/"), 2 * HL_TENSORBOARD_HEADS);
    ck_assert_ptr_nonnull(find_value(1, "maps/L1H15"));
    ck_assert_ptr_null(find_value(1, "maps/L1H16"));
    EXPECT_RUN(0, config, ON, "patterns.examples=0", "--out", other);
    assert_metrics(other);
    ck_assert_int_eq(count_values("maps/") + count_values("heads."), 0);
}

/* ---- one value a step and tag ---- */

/* Half of a write is done where it is killed in one, also of an event. */
LOOP_TEST(killed_again_and_again_a_run_leaves_the_events_of_an_undisturbed_one, 0, 3)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("killed");
    const char *arguments[] = { config,
                                ON,
                                "train.log_every=1",
                                "train.steps=12",
                                "train.checkpoint_every=3",
                                "patterns.examples=1",
                                "patterns.every=2",
                                "--quiet",
                                "--resume",
                                "--out",
                                straight,
                                NULL };
    OK(run_train(arguments));
    arguments[10] = folder;
    ck_assert_int_ge(kills_until_done((unsigned)_i + 1, arguments), 5);
    run_assert_same(straight, folder);
    ck_assert_str_eq(run_list(straight), run_list(folder));
    assert_metrics(folder);
    assert_same_events(straight, folder);
}

static hl_file_calls system_calls;
static bool interrupting; /* else killing */

static ssize_t interrupting_write(int fd, const void *buffer, size_t count)
{
    ssize_t written = system_calls.write(fd, buffer, count);
    if (interrupting && count > 9 && memcmp(buffer, "12,train,", 9) == 0) {
        hl_signals_keep(SIGINT); /* as the handler, but at once also where a sanitizer holds signals back */
    }
    return written;
}

static int killing_rename(const char *from, const char *to)
{
    if (!interrupting && strstr(to, "checkpoint.safetensors") != NULL) {
        raise(SIGKILL);
    }
    return system_calls.rename(from, to);
}

static void disturb(void)
{
    hl_file_calls calls = system_calls = *hl_file_calls_get();
    calls.write = interrupting_write;
    calls.rename = killing_rename;
    hl_file_calls_set(&calls);
}

/* The checkpoint that a signal leaves in the validation of step 12 knows of that step the training row alone. The run
 * that goes on from it is killed when the rest of the step is written, but not the checkpoint of the whole step. */
TEST(what_a_checkpoint_of_half_a_step_does_not_know_is_dropped)
{
    const char *bank =
        run_config("bank.conllu", "1\t5\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\t7\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
    const char *config = text_config(0), *straight = run_path("straight"), *folder = run_path("run");
    const char *key = scratch_format("patterns.treebank=%s", bank);
    const char *arguments[] = { config, ON, key, "--resume", "--out", straight, NULL };
    OK(run_train(arguments));
    arguments[5] = folder;
    interrupting = true;
    ck_assert_int_eq(run_with((run_options){ .arguments = arguments, .before = disturb }).code, 128 + SIGINT);
    ck_assert_str_eq(run_checkpoint_step(folder), "12");
    read_events(folder);
    ck_assert(find_value(12, "loss/train") != NULL && find_value(12, "loss/validation") == NULL);
    interrupting = false;
    ck_assert_int_eq(run_with((run_options){ .arguments = arguments, .before = disturb }).code, RUN_KILLED + SIGKILL);
    read_events(folder);
    ck_assert(find_value(12, "loss/validation") != NULL && find_value(12, "maps/L0H0") != NULL);
    OK(run_train(arguments));
    assert_same_events(straight, folder);
    run_assert_same_file(straight, folder, "syntax.csv");
}

static void go_on(const char *config, const char *folder, const char *steps, const char *key)
{
    EXPECT_RUN(0, config, "optimizer.schedule=constant", steps, key, "patterns.every=4", "train.keep_checkpoints=9",
               "--resume", "--out", folder);
}

TEST(switched_on_later_it_has_all_rows_and_switched_off_none_too_many)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    go_on(config, folder, "train.steps=6", "train.tensorboard=false");
    ck_assert_ptr_null(strstr(run_list(folder), "tfevents"));
    go_on(config, folder, "train.steps=12", "train.tensorboard=true");
    ck_assert_int_eq(assert_metrics(folder), 6 + 5);
    ck_assert_ptr_null(find_value(4, "maps/L0H0"));
    ck_assert_ptr_nonnull(find_value(8, "maps/L0H0"));
    go_on(config, folder, "train.steps=18", "train.tensorboard=false");
    read_events(folder);
    ck_assert_int_eq(found.values[found.n - 1].step, 12);
    go_on(config, folder, "train.steps=24", "train.tensorboard=true");
    assert_metrics(folder);
    ck_assert_ptr_null(find_value(16, "maps/L0H0"));
    ck_assert_ptr_nonnull(find_value(20, "maps/L0H0"));

    ck_assert_int_eq(rename(run_file(folder, "checkpoint-6.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    go_on(config, folder, "train.steps=7", "train.tensorboard=false");
    read_events(folder);
    ck_assert_int_eq(found.values[found.n - 1].step, 6); /* later ones are of steps that were dropped */

    ck_assert_int_eq(unlink(run_file(folder, EVENTS)), 0); /* lost */
    go_on(config, folder, "train.steps=24", "train.tensorboard=true");
    ck_assert_int_eq(assert_metrics(folder), 13 + 9);
    ck_assert_ptr_null(find_value(4, "maps/L0H0"));
    ck_assert_int_eq(count_values("config"), 1);
}

/* ---- what is kept ---- */

/* A file of events of steps 0, 0, 1, 1, 2, ..., 9; *ends: where each ends. */
static hl_text made_file(size_t ends[20])
{
    hl_text file = { 0 };
    for (int i = 0; i < 20; i++) {
        hl_event_record(&file, 1e9, i / 2, NULL);
        ends[i] = file.size;
    }
    return file;
}

TEST(events_up_to_the_step_stay_byte_by_byte)
{
    size_t ends[20];
    hl_text file = made_file(ends);
    const char *path = run_path(EVENTS);
    int64_t begin = 5;
    ck_assert_int_eq(hl_tensorboard_drop_after(path, 9, &begin).code, HL_OK); /* none there */
    ck_assert_int_eq(begin, 0);
    for (int step = -1; step < 11; step++) {
        size_t kept = step < 0 ? 0 : ends[2 * (step < 9 ? step : 9) + 1];
        scratch_write(path, file.bytes, file.size);
        CHECK_OK(hl_tensorboard_drop_after(path, step, &begin));
        ck_assert_int_eq(begin, (step < 9 ? step : 9) + 1);
        ck_assert(kept > 0 ? scratch_holds(path, file.bytes, kept) : !scratch_exists(path));
    }
    hl_text_free(&file);
}

LOOP_TEST(what_follows_a_torn_or_damaged_event_goes, 0, 2)
{
    size_t ends[20];
    hl_text file = made_file(ends);
    const char *path = run_path(EVENTS);
    for (size_t size = 0; size < file.size; size += _i == 0 ? 1 : 7) {
        int whole = 0;
        int64_t begin;
        while (ends[whole] <= size) {
            whole++;
        }
        if (_i == 0) {
            scratch_write(path, file.bytes, size);
        } else {
            file.bytes[size] = (char)(file.bytes[size] ^ 0x10);
            scratch_write(path, file.bytes, file.size);
            file.bytes[size] = (char)(file.bytes[size] ^ 0x10);
        }
        CHECK_OK(hl_tensorboard_drop_after(path, 100, &begin));
        ck_assert_int_eq(begin, (whole + 1) / 2);
        ck_assert(whole > 0 ? scratch_holds(path, file.bytes, ends[whole - 1]) : !scratch_exists(path));
    }
    hl_text_free(&file);
}

/* ---- failures ---- */

/* As a file that cannot be written does to metrics.csv: the run ends, and goes on when there is room again. */
static bool attempt(faulty_fault fault)
{
    const char *folder = run_path("disturbed"), *whole = run_path("whole");
    scratch_remove(folder);
    const char *arguments[] = { run_tiny_config(),
                                ON,
                                "model.layers=1",
                                "train.steps=4",
                                "train.checkpoint_every=2",
                                "patterns.every=2",
                                "patterns.examples=1",
                                "--quiet",
                                "--resume",
                                "--out",
                                folder,
                                NULL };
    faulty_result result = faulty_run(fault, (run_options){ .arguments = arguments });
    if (result.run.code != 0) {
        run_result end = run_train(arguments);
        ck_assert_msg(end.code == 0, "%s: exit code %d: %s", result.failing, end.code, end.err);
    }
    arguments[10] = whole;
    if (!scratch_exists(whole)) {
        OK(run_train(arguments));
    }
    run_assert_same(whole, folder);
    assert_same_events(whole, folder);
    return result.reached;
}

LOOP_TEST(a_run_whose_events_cannot_be_written_ends_and_goes_on, 0, 2)
{
    faulty_runs("a run with events", _i == 0 ? FAULTY_FILES : FAULTY_MEMORY, _i == 0 ? 199 : 797, attempt);
}

static void free_found(void)
{
    free(found.bytes);
    found = (events){ 0 };
}

SUITE("tensorboard", .after = free_found)
