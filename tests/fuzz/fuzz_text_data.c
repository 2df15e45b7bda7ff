/* A run's folder with one file that somebody changed: the cache of training, with numbers of the input and checksums
 * that fit them, or tokens.json or labels.json, which are the input. Whatever they hold, the data are refused, or every
 * id that an example has is in its vocabulary, and every row in the example. */
#define _XOPEN_SOURCE 700 /* for mkdtemp */

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "data/text/private/text_counts.h"
#include "data/text/private/text_data_parts.h"
#include "tests/fuzz/cache_checksums.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <stdio.h>
#include <unistd.h>

enum { TASKS = 6, MOST_BYTES = 1 << 14 };

static const char *const names[] = { "train.cache",      "tokens.json",           "labels.json", "validation.cache",
                                     "train.cache.lock", "validation.cache.lock", "source" };

/* A task's data as they were made. */
static struct folder {
    char path[64], *source;
    hl_text_spec spec;
    uint8_t cache[MOST_BYTES];
    size_t size;
} folders[TASKS];

static const struct {
    hl_text_task task;
    int64_t length;
    bool whole_words;
    const char *text;
} tasks[TASKS] = {
    { HL_TEXT_MASKED, 0, true, "a b c\nb c\nc a a b\n" },
    { HL_TEXT_NEXT, 3, false, "a b c b a c a b c\n" },
    { HL_TEXT_TAGS, 0, false,
      "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\tY\t_\t_\t_\t_\t_\t_\n\n1\tc\t_\tX\t_\t_\t_\t_\t_\t_\n\n" },
    { HL_TEXT_CLASSES, 0, false, "a b\tc\tx\nb\ta\ty\n" },
    { HL_TEXT_FILE, 0, false, "tokens\ttargets\tsources\na b\tb _\t1 _\nc a b\t_ a b\t_ 0 2\n" },
    { HL_TEXT_MASKED, 3, false, "a b c b a c a b c\n" },
};

static void remove_all(void)
{
    for (int i = 0; i < TASKS; i++) {
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            char *path = hl_path_join(folders[i].path, "%s", names[n]);
            fuzz_require(path != NULL);
            unlink(path);
            hl_free(path);
        }
        rmdir(folders[i].path);
        hl_free(folders[i].source);
    }
}

static void write_source(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fuzz_require(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make(struct folder *f, int i)
{
    snprintf(f->path, sizeof f->path, "/tmp/headlight-fuzz-XXXXXX");
    fuzz_require(mkdtemp(f->path) != NULL);
    f->source = hl_path_join(f->path, "source");
    fuzz_require(f->source != NULL);
    write_source(f->source, tasks[i].text);
    f->spec = (hl_text_spec){ .task = tasks[i].task,
                              .file = f->source,
                              .validation_file = f->source,
                              .column = "UPOS",
                              .text_column = "1,2",
                              .label_column = "3",
                              .length = tasks[i].length,
                              .max_length = 9,
                              .whole_words = tasks[i].whole_words,
                              .kind = HL_TOKENS_WORDS,
                              .folder = f->path };
    hl_text_data *data;
    fuzz_require(hl_text_data_open(&f->spec, &data).code == HL_OK);
    hl_text_data_close(data);
    char *path = hl_path_join(f->path, "train.cache");
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    fuzz_require(file != NULL);
    hl_free(path);
    f->size = fread(f->cache, 1, sizeof f->cache, file);
    fuzz_require(f->size > sizeof(hl_corpus_end) && f->size < sizeof f->cache);
    fclose(file);
    f->spec.keep = f->spec.any_source = true;
}

/* Changes numbers of the cache, those of its end included, which stand behind its texts. Three bytes of input are a
 * place and a number. */
static void change(const struct folder *f, const uint8_t *data, size_t size, uint8_t *bytes)
{
    static const int32_t strange[] = { -1, -2, INT32_MIN, INT32_MAX, 1 << 28, 1 << 20, 256, 1022 };
    size_t ends = f->size - sizeof(hl_corpus_end), texts = offsetof(hl_corpus_end, longest);
    size_t before = ends / 4, all = before + (offsetof(hl_corpus_end, crc) - texts) / 4;
    memcpy(bytes, f->cache, f->size);
    for (; size >= 3; data += 3, size -= 3) {
        size_t word = (data[0] + 256u * data[1]) % all,
               at = word < before ? 4 * word : ends + texts + 4 * (word - before);
        int32_t number = data[2] < 248 ? data[2] : strange[data[2] - 248];
        memcpy(bytes + at, &number, sizeof number);
    }
    mend_checksums(bytes, f->size);
}

static void check_example(const hl_text_data *data, const hl_text_example *e)
{
    int64_t V = hl_tokens_size(hl_text_data_tokens(data)), C = hl_tokens_size(hl_text_data_targets(data));
    for (int64_t i = 0; i < e->n_tokens; i++) {
        fuzz_require(e->tokens[i] >= 0 && e->tokens[i] < V);
        fuzz_require(e->types == NULL || e->types[i] == 0 || e->types[i] == 1);
        fuzz_require(e->sources == NULL || (e->sources[i] >= HL_IGNORE && e->sources[i] < e->n_tokens));
    }
    for (int64_t i = 0; i < e->n_targets; i++) {
        fuzz_require(e->rows[i] >= 0 && e->rows[i] < e->n_tokens && e->ids[i] >= -1 && e->ids[i] < C);
    }
}

static void read_all(const hl_text_data *data)
{
    enum { MOST_READ = 16 };
    hl_text_reader *reader;
    hl_text_counts counts;
    fuzz_require(hl_text_reader_open(data, &reader).code == HL_OK);
    for (int split = 0; split < 2; split++) {
        int64_t n = hl_text_data_examples(data, (hl_split)split);
        for (int64_t i = 0; i < n && i < MOST_READ; i++) {
            hl_text_example example;
            if (hl_text_data_read(reader, (hl_split)split, 1, i, &example).code == HL_OK) {
                check_example(data, &example);
            }
        }
        if (hl_text_counts_of(data, (hl_split)split, NULL, NULL, &counts).code == HL_OK) {
            hl_text_counts_free(&counts);
        }
    }
    hl_text_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hl_file_calls_set(NULL);
    if (folders[0].size == 0) {
        for (int i = 0; i < TASKS; i++) {
            make(&folders[i], i);
        }
        atexit(remove_all);
    }
    if (size == 0) {
        return 0;
    }
    const struct folder *f = &folders[*data % TASKS];
    uint8_t cache[MOST_BYTES];
    int which = *data / TASKS % 4; /* mostly the cache */
    change(f, data + 1, size - 1, cache);
    const uint8_t *bytes = which == 1 || which == 2 ? data + 1 : cache;
    input_file_set_one(names[which % 3], bytes, bytes == cache ? f->size : size - 1);
    hl_text_data *text;
    if (hl_text_data_open(&f->spec, &text).code == HL_OK) {
        read_all(text);
        hl_text_data_close(text);
    }
    return 0;
}
