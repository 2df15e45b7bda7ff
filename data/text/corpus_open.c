#define _DEFAULT_SOURCE /* LOCK_EX */
#include "core/base/text.h"
#include "data/text/private/corpus_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

static bool same_columns(const hl_corpus_spec *spec, const hl_corpus_end *end)
{
    int64_t c = 0;
    while (c < end->n_columns && spec->columns[c] != NULL && strcmp(spec->columns[c], end->columns[c]) == 0) {
        c++;
    }
    return c == end->n_columns && (c == HL_CORPUS_COLUMNS || spec->columns[c] == NULL);
}

/* Whether the cache was made from what the spec names; *why says what differs. */
static hl_status compare(const hl_corpus_spec *spec, const hl_corpus_end *end, hl_status *why)
{
    bool same = true, exists = true;
    *why = hl_ok();
    if (strcmp(spec->kind, end->kind) != 0 || !same_columns(spec, end)) {
        *why = hl_error(HL_BAD_FILE, "%s: was made otherwise: %s, now %s", spec->path, end->kind, spec->kind);
    } else if (strcmp(spec->tokens, end->tokens) != 0) {
        *why =
            hl_error(HL_BAD_FILE, "%s: was made with other tokens: %s, now %s", spec->path, end->tokens, spec->tokens);
    }
    if (why->code != HL_OK) {
        return hl_ok();
    }
    if (spec->keep && spec->any_source) {
        exists = false;
    } else if (spec->keep) {
        HL_TRY(hl_file_exists(spec->source, &exists));
    }
    if (exists) {
        HL_TRY(hl_source_compare(spec->source, &end->source, spec->full, spec->progress, spec->context, &same));
    }
    if (!same) {
        *why = hl_error(HL_BAD_FILE, "%s: its source %s has changed%s", spec->path, spec->source,
                        spec->keep ? " since: put back the file as it was, or begin a new run with it as it is" : "");
    }
    return hl_ok();
}

/* Opens the cache if there is one that fits. Otherwise *out is NULL, and *why says why; HL_OK: there is none. */
static hl_status take_up(const hl_corpus_spec *spec, hl_status *why, hl_corpus **out)
{
    bool exists, ours;
    *out = NULL;
    *why = hl_ok();
    HL_TRY(hl_file_exists(spec->path, &exists));
    if (!exists) {
        return hl_ok();
    }
    *why = hl_corpus_load(spec->path, &ours, out);
    if (why->code != HL_OK) {
        return ours && why->code == HL_BAD_FILE ? hl_ok() : *why; /* a file that is not a cache is never replaced by
                                                                     one */
    }
    hl_status status = compare(spec, &(*out)->end, why);
    if (status.code != HL_OK || why->code != HL_OK) {
        hl_corpus_close(*out);
        *out = NULL;
    }
    return status;
}

static hl_status add_all(const hl_corpus_spec *spec, hl_corpus_writer *writer, hl_source *source)
{
    hl_source after;
    HL_TRY(hl_source_look(spec->source, source));
    HL_TRY(spec->make(spec->context, writer));
    if (writer->end.n_numbers == 0) {
        return hl_error(HL_BAD_FILE, "%s: holds no example", spec->source);
    }
    HL_TRY(hl_source_read_whole(spec->source, spec->progress, spec->context, source));
    HL_TRY(hl_source_look(spec->source, &after)); /* comes last, when all reading is done */
    after.whole = source->whole;
    return memcmp(source, &after, sizeof after) == 0
               ? hl_ok()
               : hl_error(HL_BAD_FILE, "%s: changed while it was read", spec->source);
}

static hl_status make(const hl_corpus_spec *spec)
{
    hl_source source;
    hl_corpus_writer *writer;
    HL_TRY(hl_corpus_writer_begin(spec, &writer));
    hl_status status = add_all(spec, writer, &source);
    if (status.code == HL_OK) {
        return hl_corpus_writer_commit(writer, &source);
    }
    hl_corpus_writer_abandon(writer);
    return status;
}

/* Waits until no other program makes this cache. */
static hl_status lock(const hl_corpus_spec *spec, const char *path, int *fd)
{
    static const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
    HL_TRY(hl_file_open(path, O_RDWR | O_CREAT, fd));
    hl_status status = hl_ok();
    while (status.code == HL_OK && hl_file_calls_get()->flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            status = hl_file_system_error(path, "cannot be locked");
        } else if (spec->progress != NULL) {
            status = spec->progress(spec->context, 0, 0);
        }
        nanosleep(&pause, NULL);
    }
    if (status.code != HL_OK) {
        hl_file_calls_get()->close(*fd);
    }
    return status;
}

/* Under the lock: reuses what another program has made in the meantime, or makes the cache. */
static hl_status take_up_or_make(const hl_corpus_spec *spec, hl_corpus **out)
{
    hl_status why;
    bool ours;
    HL_TRY(take_up(spec, &why, out));
    if (*out == NULL) {
        HL_TRY(make(spec));
        HL_TRY(hl_corpus_load(spec->path, &ours, out));
        (*out)->made_because = why;
    }
    return hl_ok();
}

static hl_status check_text(const hl_corpus_spec *spec, const char *text)
{
    return strlen(text) < HL_CORPUS_TEXT
               ? hl_ok()
               : hl_error(HL_INVALID, "%s: a text that describes it is longer than %d bytes: %s", spec->path,
                          HL_CORPUS_TEXT - 1, text);
}

hl_status hl_corpus_open(const hl_corpus_spec *spec, hl_corpus **out)
{
    hl_status why;
    *out = NULL;
    HL_TRY(check_text(spec, spec->kind));
    HL_TRY(check_text(spec, spec->tokens));
    for (int c = 0; c < HL_CORPUS_COLUMNS && spec->columns[c] != NULL; c++) {
        HL_TRY(check_text(spec, spec->columns[c]));
    }
    HL_TRY(strcmp(spec->source, "-") != 0
               ? hl_ok()
               : hl_error(HL_INVALID, "%s: standard input cannot be kept in a cache: write it to a file first",
                          spec->path));
    HL_TRY(take_up(spec, &why, out));
    if (*out != NULL) {
        return hl_ok();
    }
    if (spec->keep && why.code != HL_OK) {
        return why;
    }
    int fd;
    hl_text path = { 0 };
    hl_text_print(&path, "%s.lock", spec->path);
    hl_status status = hl_text_status(&path);
    HL_THEN(status, lock(spec, path.bytes, &fd));
    if (status.code == HL_OK) {
        status = take_up_or_make(spec, out);
        hl_file_calls_get()->close(fd); /* unlocks */
    }
    hl_text_free(&path);
    return status;
}
