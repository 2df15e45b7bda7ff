/* A small corpus for tests: each line of a text is an example. */
#pragma once

#include "core/base/text.h"
#include "core/kernels/random.h"
#include "data/text/corpus.h"
#include "data/text/lines.h"
#include "tests/check_suite.h"
#include "tests/data/text_files.h"

/* Each line is an example: its bytes as tokens, and its number as a label; of running text, all bytes. */
static inline hl_status make_lines(hl_corpus_writer *writer, const char *source, bool running)
{
    hl_lines *lines;
    hl_line line;
    static int32_t tokens[HL_LINE_BYTES];
    HL_TRY(hl_lines_open(source, HL_LINE_BYTES, &lines));
    hl_status status = hl_lines_next(lines, &line);
    for (; status.code == HL_OK && line.text != NULL;
         status = status.code == HL_OK ? hl_lines_next(lines, &line) : status) {
        for (size_t i = 0; i < line.size; i++) {
            tokens[i] = (unsigned char)line.text[i];
        }
        const int32_t label = (int32_t)line.number, *values[] = { tokens, &label };
        status = running ? hl_corpus_add_numbers(writer, tokens, (int64_t)line.size)
                         : hl_corpus_add(writer, values, (int64_t[]){ (int64_t)line.size, 1 });
    }
    hl_lines_close(lines);
    return status;
}

typedef struct made {
    const char *source;
    bool running, fails;
    int times;        /* how often it was made */
    int64_t compared; /* bytes of the source that were read to compare it */
    int waited;
} made;

static inline hl_status make(void *context, hl_corpus_writer *writer)
{
    made *m = context;
    m->times++;
    HL_TRY(make_lines(writer, m->source, m->running));
    return m->fails ? hl_error(HL_FAILED, "a signal") : hl_ok();
}

static inline hl_status progress(void *context, int64_t done, int64_t total)
{
    made *m = context;
    m->waited += total == 0;
    m->compared = total > 0 ? done : m->compared;
    return hl_ok();
}

static inline hl_corpus_spec spec_of(made *m, const char *path)
{
    hl_corpus_spec spec = { .path = path,
                            .source = m->source,
                            .kind = "lines",
                            .tokens = "bytes",
                            .make = make,
                            .progress = progress,
                            .context = m };
    if (!m->running) {
        spec.columns[0] = "tokens";
        spec.columns[1] = "label";
    }
    return spec;
}

static inline hl_corpus *opened(const hl_corpus_spec *spec)
{
    hl_corpus *corpus;
    hl_status status = hl_corpus_open(spec, &corpus);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return corpus;
}

static inline void close_corpus(void *corpus)
{
    hl_corpus_close(corpus);
}

/* The corpus of a new cache; closed when the test ends. */
static inline hl_corpus *kept_corpus(made *m)
{
    hl_corpus_spec spec = spec_of(m, scratch_path("cache"));
    return scratch_own(opened(&spec), close_corpus);
}

static inline void free_reader(void *reader)
{
    hl_corpus_reader_free(reader);
    free(reader);
}

static inline hl_corpus_reader *kept_reader(const hl_corpus *corpus)
{
    hl_corpus_reader *reader = calloc(1, sizeof *reader);
    CHECK_OK(hl_corpus_reader_init(reader, corpus));
    return scratch_own(reader, free_reader);
}

/* Lines of 0 to 5,000 bytes, some longer than a block, and many short ones. */
enum { LINES = 400 };

static inline size_t length_of_line(int line)
{
    uint32_t word = hl_random_word((hl_random){ .seed = 1 }, (uint64_t)line);
    return line % 20 == 7 ? word % 5001 : word % 60;
}

static inline char byte_of_line(int line, size_t i)
{
    return (char)('a' + (line * 7 + (int)i) % 26);
}

static inline const char *source_file(void)
{
    hl_text text = { 0 };
    for (int line = 1; line <= LINES; line++) {
        for (size_t i = 0; i < length_of_line(line); i++) {
            char byte = byte_of_line(line, i);
            hl_text_add(&text, &byte, 1);
        }
        hl_text_add(&text, "\n", 1);
    }
    const char *path = scratch_path("text");
    scratch_write(path, text.bytes, text.size);
    hl_text_free(&text);
    return path;
}
