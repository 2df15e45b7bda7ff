#include "core/files/files.h"
#include "data/text/private/corpus_file.h"
#include "tests/check_suite.h"
#include "tests/data/corpus_example.h"
#include "tests/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens it and says how: 0 taken up, 1 made; *why: the reason, "" for none. */
static int how_opened(const hl_corpus_spec *spec, const char *why)
{
    made *m = spec->context;
    int before = m->times;
    hl_corpus *corpus = opened(spec);
    ck_assert_msg(strstr(hl_corpus_made_because(corpus), why) != NULL &&
                      (*why != '\0' || *hl_corpus_made_because(corpus) == '\0'),
                  "%s", hl_corpus_made_because(corpus));
    hl_corpus_close(corpus);
    return m->times - before;
}

static void check_kept(hl_corpus_spec spec, const char *why)
{
    hl_corpus *corpus;
    spec.keep = true;
    hl_status status = hl_corpus_open(&spec, &corpus);
    ck_assert_ptr_null(corpus);
    ck_assert_msg(status.code == HL_BAD_FILE && strstr(status.text, why) != NULL, "%s", status.text);
}

TEST(a_cache_that_fits_is_taken_up_and_another_made_anew_or_refused)
{
    made m = { .source = scratch_file("text", "one\ntwo\n") };
    hl_corpus_spec spec = spec_of(&m, scratch_path("cache")), other = spec;
    ck_assert_int_eq(how_opened(&spec, ""), 1);
    ck_assert_int_eq(how_opened(&spec, ""), 0);
    other.tokens = "others";
    check_kept(other, "cache: was made with other tokens: bytes, now others");
    ck_assert_int_eq(how_opened(&other, "was made with other tokens: bytes, now others"), 1);
    ck_assert_int_eq(how_opened(&spec, "was made with other tokens: others, now bytes"), 1);
    other = spec;
    other.kind = "sentences";
    check_kept(other, "cache: was made otherwise: lines, now sentences");
    other.kind = spec.kind;
    other.columns[1] = "source";
    check_kept(other, "was made otherwise");
    other.columns[1] = "label";
    other.columns[2] = "source";
    check_kept(other, "was made otherwise");
    scratch_file("text", "one\ntoo\n");
    check_kept(spec, "text has changed");
    ck_assert_int_eq(how_opened(&spec, "text has changed"), 1);
    scratch_file("text", "one\ntoo\nthree\n");
    ck_assert_int_eq(how_opened(&spec, "text has changed"), 1);
    ck_assert_int_eq(how_opened(&spec, ""), 0);
    spec.source = scratch_path("moved");
    hl_corpus *corpus;
    refused_as(hl_corpus_open(&spec, &corpus), HL_BAD_FILE, spec.source, ": cannot open: No such file or directory");
    spec.keep = true;
    ck_assert_int_eq(how_opened(&spec, ""), 0); /* a run does not need its source */
    spec.source = "-";
    ck_assert_int_eq(hl_corpus_open(&spec, &corpus).code, HL_INVALID);
    spec.source = m.source;
    char name[HL_CORPUS_TEXT + 1] = "";
    memset(name, 'x', HL_CORPUS_TEXT);
    spec.columns[1] = name;
    ck_assert_int_eq(hl_corpus_open(&spec, &corpus).code, HL_INVALID);
}

TEST(a_damaged_cache_is_made_anew_and_no_other_file_ever_replaced)
{
    made m = { .source = scratch_file("text", "one\ntwo\n") };
    hl_corpus *corpus;
    hl_corpus_spec spec = spec_of(&m, scratch_path("cache"));
    for (int length = 5; length < 10000; length += 9000) { /* shorter than the end of a cache, and longer */
        hl_text text = { 0 };
        hl_text_print(&text, "a thesis%0*d", length, 7);
        scratch_write(spec.path, text.bytes, text.size);
        refused_as(hl_corpus_open(&spec, &corpus), HL_BAD_FILE, spec.path,
                   ": is no cache of Headlight's, or is cut off: remove it, or name another file");
        ck_assert(scratch_holds(spec.path, text.bytes, text.size));
        hl_text_free(&text);
    }
    ck_assert(unlink(spec.path) == 0 && how_opened(&spec, "") == 1);
    size_t size;
    char *bytes = scratch_read(spec.path, &size);
    bytes[size - 100] ^= 1;
    scratch_write(spec.path, bytes, size);
    check_kept(spec, "cache: is damaged: ");
    ck_assert_int_eq(how_opened(&spec, "cache: is damaged: "), 1);
    bytes[size - 16] = 7;
    scratch_write(spec.path, bytes, size);
    ck_assert_int_eq(how_opened(&spec, "cache: has format 7, not 1: another version or kind of machine made it"), 1);
    free(bytes);
}

enum { LARGE = 3 << 20 };

/* Lines of 100 bytes, more than are sampled; to be freed by free(). */
static char *large_text(void)
{
    char *text = malloc(LARGE);
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < LARGE; i++) {
        text[i] = i % 100 == 99 ? '\n' : 'x';
    }
    return text;
}

static void set_date(const char *path, long nanoseconds)
{
    struct timespec date[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000, .tv_nsec = nanoseconds } };
    ck_assert_int_eq(utimensat(AT_FDCWD, path, date, 0), 0);
}

TEST(a_file_touched_or_copied_is_read_whole_and_taken_up)
{
    char *text = large_text();
    made m = { .source = scratch_path("text") };
    hl_corpus_spec spec = spec_of(&m, scratch_path("cache"));
    scratch_write(m.source, text, LARGE);
    set_date(m.source, 0);
    ck_assert_int_eq(how_opened(&spec, ""), 1);
    m.compared = 0;
    ck_assert_int_eq(how_opened(&spec, ""), 0);
    ck_assert_int_eq(m.compared, 0); /* sampled alone */
    spec.full = true;
    ck_assert_int_eq(how_opened(&spec, ""), 0);
    ck_assert_int_eq(m.compared, LARGE);
    spec.full = false;
    m.compared = 0;
    set_date(m.source, 1);
    ck_assert_int_eq(how_opened(&spec, ""), 0);
    ck_assert_int_eq(m.compared, LARGE);
    /* A byte between two samples, and the first byte of the last sample; the date and the size stay. */
    text[70000] = 'y';
    scratch_write(m.source, text, LARGE);
    set_date(m.source, 0);
    ck_assert_int_eq(how_opened(&spec, ""), 0); /* what sampling misses */
    spec.full = true;
    check_kept(spec, "has changed");
    spec.full = false;
    text[LARGE - (1 << 16)] = 'y';
    scratch_write(m.source, text, LARGE);
    set_date(m.source, 0);
    check_kept(spec, "has changed");
    free(text);
}

static hl_status make_while_it_changes(void *context, hl_corpus_writer *writer)
{
    const made *m = context;
    HL_TRY(make_lines(writer, m->source, false));
    scratch_file("text", m->times == 0 ? "longer than before\n" : "LONGER THAN BEFORE\n");
    return hl_ok();
}

TEST(a_source_that_changes_is_empty_or_fails_leaves_the_old_cache)
{
    made m = { .source = scratch_file("text", "some text\n") };
    hl_corpus *corpus;
    hl_corpus_spec spec = spec_of(&m, scratch_path("cache"));
    hl_corpus_close(opened(&spec));
    size_t size;
    char *old = scratch_read(spec.path, &size);
    scratch_file("text", "another text\n");
    m.times = 0;
    spec.make = make_while_it_changes;
    refused_as(hl_corpus_open(&spec, &corpus), HL_BAD_FILE, m.source, ": changed while it was read");
    m.times = 1;
    refused_as(hl_corpus_open(&spec, &corpus), HL_BAD_FILE, m.source, ": changed while it was read");
    spec.make = make;
    scratch_file("text", "");
    refused_as(hl_corpus_open(&spec, &corpus), HL_BAD_FILE, m.source, ": holds no example");
    scratch_file("text", "a\n\xff\n");
    refused_as(hl_corpus_open(&spec, &corpus), HL_BAD_FILE, m.source, ":2:1: is not UTF-8 (byte 0xff)");
    scratch_file("text", "a\n");
    m.fails = true;
    refused_as(hl_corpus_open(&spec, &corpus), HL_FAILED, "a signal", "");
    ck_assert(scratch_holds(spec.path, old, size) && !scratch_exists(scratch_path("cache.tmp")));
    ck_assert_ptr_null(corpus);
    free(old);
}

static hl_status change_between_samples(void *context, int64_t done, int64_t total)
{
    const made *m = context;
    int fd = open(m->source, O_WRONLY);
    bool written = done == total || pwrite(fd, "y", 1, 70000) == 1;
    close(fd);
    return written ? hl_ok() : hl_error(HL_FAILED, "cannot write");
}

TEST(a_source_that_changes_while_it_is_compared_is_refused)
{
    char *text = large_text();
    made m = { .source = scratch_path("text") };
    hl_corpus *corpus;
    hl_corpus_spec spec = spec_of(&m, scratch_path("cache"));
    scratch_write(m.source, text, LARGE);
    spec.progress = change_between_samples;
    refused_as(hl_corpus_open(&spec, &corpus), HL_BAD_FILE, m.source, ": changed while it was read");
    ck_assert(!scratch_exists(spec.path));
    free(text);
}

TEST(several_processes_make_it_once)
{
    enum { PROCESSES = 4 };
    const char *source = source_file(), *path = scratch_path("cache");
    pid_t processes[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        processes[p] = fork();
        if (processes[p] == 0) {
            made m = { .source = source };
            hl_corpus_spec spec = spec_of(&m, path);
            hl_corpus *corpus = NULL;
            bool good = hl_corpus_open(&spec, &corpus).code == HL_OK && hl_corpus_examples(corpus) == LINES;
            hl_corpus_close(corpus);
            _exit(good ? m.times : 100);
        }
    }
    int made_times = 0;
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        ck_assert_int_eq(waitpid(processes[p], &status, 0), processes[p]);
        ck_assert(WIFEXITED(status));
        made_times += WEXITSTATUS(status);
    }
    ck_assert_int_eq(made_times, 1);
}

static int busy;

static int busy_flock(int fd, int operation)
{
    (void)operation;
    if (busy-- > 0) {
        errno = EWOULDBLOCK;
        return -1;
    }
    (void)fd;
    return 0;
}

static hl_status stop_waiting(void *context, int64_t done, int64_t total)
{
    (void)context;
    (void)done;
    return total == 0 ? hl_error(HL_FAILED, "stopped") : hl_ok();
}

TEST(waiting_for_another_program_is_told_and_can_be_ended)
{
    made m = { .source = scratch_file("text", "a\n") };
    hl_corpus *corpus;
    hl_corpus_spec spec = spec_of(&m, scratch_path("cache"));
    hl_file_calls calls = *hl_file_calls_get();
    calls.flock = busy_flock;
    hl_file_calls_set(&calls);
    busy = 2;
    ck_assert_int_eq(how_opened(&spec, ""), 1);
    ck_assert_int_eq(m.waited, 2);
    busy = 100;
    spec.progress = stop_waiting;
    spec.tokens = "others";
    refused_as(hl_corpus_open(&spec, &corpus), HL_FAILED, "stopped", "");
    hl_file_calls_set(NULL);
}

/* Whether the cache at the path is of a source of two lines, or, where `changed`, of three. */
static bool holds_lines(const char *path, bool changed)
{
    hl_corpus *corpus;
    bool ours,
        good = hl_corpus_load(path, &ours, &corpus).code == HL_OK && hl_corpus_examples(corpus) == (changed ? 3 : 2);
    hl_corpus_close(corpus);
    return good;
}

/* Makes a cache anew whose source has changed. Each call fails in turn, once and for ever; where the old cache cannot
 * be read, it is made anew all the same. */
TEST(no_failing_call_harms_what_is_made_anew)
{
    made m = { .source = scratch_file("cache.txt", "a\nb\n") };
    hl_corpus_spec spec = spec_of(&m, scratch_format("%s", scratch_path("cache")));
    hl_corpus_close(opened(&spec));
    size_t size;
    char *old = scratch_read(spec.path, &size);
    scratch_file("cache.txt", "a\nb\nc\n");
    faults_begin();
    for (int kind = 0; kind < 4; kind++) {
        bool reached = true;
        for (int n = 1; reached; n++) {
            hl_corpus *corpus;
            scratch_write(spec.path, old, size);
            faults_in_files(kind < 2 ? n : 0, (faults_kind)(kind % 2), EIO);
            faults_in_memory(kind < 2 ? 0 : n, (faults_kind)(kind % 2));
            hl_status status = hl_corpus_open(&spec, &corpus);
            reached = (kind < 2 ? faults_file_calls() : faults_allocations()) >= n;
            bool named = strstr(status.text, "cache") != NULL, of_files = kind < 2;
            ck_assert_msg(status.code == HL_OK || (reached && status.code == (of_files ? HL_BAD_FILE : HL_NO_MEMORY) &&
                                                   (named || !of_files)),
                          "call %d: %s", n, status.text);
            hl_corpus_close(corpus);
            ck_assert(faults_unlink_failed() || !scratch_exists(scratch_path("cache.tmp")));
            ck_assert(faults_open_files() == 0 && faults_live_blocks() == 0);
            faults_in_files(0, FAULTS_ONCE, 0);
            faults_in_memory(0, FAULTS_ONCE);
            ck_assert_msg(holds_lines(spec.path, true) || (status.code != HL_OK && holds_lines(spec.path, false)),
                          "call %d: %s", n, status.text);
        }
    }
    faults_end();
    free(old);
}

SUITE("corpus open")
