/* The bytes as what a snapshot's arrays hold, put into an archive without a fault, because changed bytes of an archive
 * seldom get past its checksums (fuzz_npz). Of a snapshot that is taken, everything is measured that the program heads
 * measures. */
#include "core/base/memory.h"
#include "core/files/npz.h"
#include "heads/heads_csv.h"
#include "heads/label.h"
#include "heads/snapshot.h"
#include "show/report_maps.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAYERS = 2, VOCABULARY = 5, MANY = 12, MOST_TOKENS = 4, MOST_EXAMPLES = 3, MOST_ELEMENTS = 1 << 10 };

static int32_t targets[MOST_EXAMPLES * (MOST_TOKENS + 1)];
static double added[MOST_ELEMENTS]; /* of the array that was added last, of any type */

/* What is left of the input; zeros follow it. */
typedef struct input {
    const uint8_t *bytes;
    size_t left;
} input;

static uint8_t next(input *in)
{
    if (in->left == 0) {
        return 0;
    }
    in->left--;
    return *in->bytes++;
}

/* One byte for a number; the last few for those that files of others may hold. */
static int64_t next_integer(input *in)
{
    uint8_t byte = next(in);
    return byte == 255 ? INT64_MAX : byte == 254 ? INT64_MIN : byte == 253 ? -1 : byte;
}

static double next_real(input *in)
{
    static const double strange[] = { NAN, INFINITY, -INFINITY, -1e-4, -1, 1e30, 2, 1.0005 };
    uint8_t byte = next(in);
    return byte < 248 ? byte / 100.0 : strange[byte - 248];
}

static void fill(input *in, hl_npy_type type, int64_t count, void *data)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t integer = type == HL_NPY_INT32 || type == HL_NPY_INT64 ? next_integer(in) : 0;
        double real = type == HL_NPY_FLOAT32 || type == HL_NPY_FLOAT64 ? next_real(in) : 0;
        if (type == HL_NPY_INT32) {
            ((int32_t *)data)[i] = (int32_t)(integer > INT_MAX ? INT_MAX : integer < INT_MIN ? INT_MIN : integer);
        } else if (type == HL_NPY_INT64) {
            ((int64_t *)data)[i] = integer;
        } else if (type == HL_NPY_FLOAT32) {
            ((float *)data)[i] = (float)real;
        } else {
            ((double *)data)[i] = real;
        }
    }
}

/* The array as it should be, or as a byte of the input says without it, of another type, or of another shape. */
static void add(hl_npz_writer *npz, input *in, const char *name, hl_npy_type type, hl_shape shape)
{
    enum { MISSING = 1, OTHER_TYPE = 2, LONGER = 3, ONE_MORE_DIMENSION = 4, EMPTY = 5 };
    uint8_t fault = next(in);
    if (fault == MISSING) {
        return;
    }
    if (fault == OTHER_TYPE) {
        type = type == HL_NPY_INT32 ? HL_NPY_INT64 : HL_NPY_INT32;
    } else if (fault == LONGER && shape.n_dims > 0) {
        shape.size[shape.n_dims - 1]++;
    } else if (fault == ONE_MORE_DIMENSION && shape.n_dims < HL_MAX_DIMS) {
        shape.size[shape.n_dims++] = 1;
    } else if (fault == EMPTY && shape.n_dims > 0) {
        shape.size[0] = 0;
    }
    int64_t count = hl_shape_count(shape);
    fuzz_require(count <= MOST_ELEMENTS);
    fill(in, type, count, added);
    hl_npz_add(npz, name, type, shape, added);
}

/* The largest answers of some logits, as a recorder keeps them where there are many; one number may be another. */
static void add_largest(hl_npz_writer *npz, input *in, int64_t E, int64_t T, int64_t C)
{
    enum { MOST_PLACES = MOST_EXAMPLES * (MOST_TOKENS + 1), NONE_ANSWERED = 1, OTHER_ID = 2, OTHER_NUMBER = 3 };
    int32_t ids[MOST_PLACES * HL_ANSWERS_TOP];
    float top[MOST_PLACES * HL_ANSWERS_TOP], of_targets[MOST_PLACES], sums[MOST_PLACES];
    int64_t K = hl_answers_top(C);
    for (int64_t place = 0; place < E * T; place++) {
        hl_real logits[MANY];
        for (int64_t i = 0; i < C; i++) {
            logits[i] = (hl_real)(next(in) / 100.0);
        }
        int32_t target = targets[place];
        hl_top_ids(logits, C, (int)K, ids + place * K);
        for (int64_t i = 0; i < K; i++) {
            top[place * K + i] = (float)logits[ids[place * K + i]];
        }
        of_targets[place] = target >= 0 && target < C ? (float)logits[target] : 0;
        sums[place] = (float)hl_log_sum_exp(logits, C, logits[ids[place * K]]);
        if (target == HL_IGNORE && next(in) == NONE_ANSWERED) {
            ids[place * K] = HL_IGNORE;
        }
    }
    uint8_t fault = next(in), at = next(in) % (E * T * K);
    if (fault == OTHER_ID) {
        ids[at] = (int32_t)(next_integer(in) % (2 * MANY));
    } else if (fault == OTHER_NUMBER) {
        *(at % 3 == 0 ? &top[at] : at % 3 == 1 ? &of_targets[at / K] : &sums[at / K]) = (float)next_real(in);
    }
    hl_npz_add(npz, "top_ids", HL_NPY_INT32, HL_SHAPE(E, T, K), ids);
    hl_npz_add(npz, "top_logits", HL_NPY_FLOAT32, HL_SHAPE(E, T, K), top);
    hl_npz_add(npz, "target_logits", HL_NPY_FLOAT32, HL_SHAPE(E, T), of_targets);
    hl_npz_add(npz, "log_sums", HL_NPY_FLOAT32, HL_SHAPE(E, T), sums);
}

static void add_sums(hl_npz_writer *npz, input *in, const hl_model_config *config, int64_t T)
{
    hl_shape offsets = HL_SHAPE(2 * T - 1), scalar = { .n_dims = 0 };
    add(npz, in, "all_queries", HL_NPY_INT64, offsets);
    add(npz, in, "all_uniform", HL_NPY_FLOAT64, offsets);
    add(npz, in, "all_entropy_uniform", HL_NPY_FLOAT64, scalar);
    for (int l = 0; l < LAYERS; l++) {
        int64_t H = config->heads[l];
        char name[64];
        snprintf(name, sizeof name, "all_offset_%d", l);
        add(npz, in, name, HL_NPY_FLOAT64, HL_SHAPE(H, 2 * T - 1));
        snprintf(name, sizeof name, "all_entropy_%d", l);
        add(npz, in, name, HL_NPY_FLOAT64, HL_SHAPE(H));
        snprintf(name, sizeof name, "all_entropy_normalised_%d", l);
        add(npz, in, name, HL_NPY_FLOAT64, HL_SHAPE(H));
        snprintf(name, sizeof name, "all_entropy_histogram_%d", l);
        add(npz, in, name, HL_NPY_INT64, HL_SHAPE(H, HL_ENTROPY_BINS));
        snprintf(name, sizeof name, "all_confidence_%d", l);
        add(npz, in, name, HL_NPY_FLOAT64, HL_SHAPE(H));
    }
}

static void write_snapshot(input *in, const hl_model_config *config)
{
    int64_t C = hl_answers_targets(config), E = 1 + next(in) % MOST_EXAMPLES, T = 1 + next(in) % (MOST_TOKENS + 1);
    hl_npz_writer *npz = hl_npz_create("fuzz.npz");
    add(npz, in, "tokens", HL_NPY_INT32, HL_SHAPE(E, T));
    add(npz, in, "targets", HL_NPY_INT32, HL_SHAPE(E, T));
    memcpy(targets, added, sizeof targets);
    add(npz, in, "source", HL_NPY_INT32, HL_SHAPE(E, T));
    add(npz, in, "lengths", HL_NPY_INT32, HL_SHAPE(E));
    add(npz, in, "step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 });
    for (int l = 0; l < LAYERS; l++) {
        char name[16];
        snprintf(name, sizeof name, "layer_%d", l);
        add(npz, in, name, HL_NPY_FLOAT32, HL_SHAPE(E, config->heads[l], T, T));
    }
    uint8_t more = next(in);
    if (more & 16) {
        add(npz, in, "words", HL_NPY_INT32, HL_SHAPE(E, T));
        add(npz, in, "types", HL_NPY_INT32, HL_SHAPE(E, T));
    }
    if (more & 8) {
        add_largest(npz, in, E, T, C);
    } else {
        add(npz, in, "logits", HL_NPY_FLOAT32, HL_SHAPE(E, T, C));
    }
    if (more & 1) {
        add(npz, in, "relations", HL_NPY_INT32, HL_SHAPE(E, 1 + more % 3, T));
    }
    if (more & 4) {
        add_sums(npz, in, config, T + more % 2);
    }
    fuzz_require(hl_npz_close(npz, HL_VOLATILE).code == HL_OK);
}

static void measure(const hl_snapshot *snapshot)
{
    hl_heads_csv csv = { 0 };
    hl_report_maps maps = { .n_snapshots = 1 };
    hl_text text = { 0 };
    fuzz_require(hl_heads_csv_add(&csv, snapshot->step, snapshot->layers, LAYERS, snapshot->sums, NULL).code == HL_OK);
    fuzz_require(hl_report_maps_add(&maps, snapshot->step, snapshot->layers, LAYERS, &snapshot->answers).code == HL_OK);
    hl_heads_csv_print(&csv, NULL, -1, &text);
    for (int l = 0; l < LAYERS; l++) {
        for (int64_t h = 0; h < snapshot->layers[l].n_heads; h++) {
            hl_patterns head = hl_snapshot_patterns(snapshot, l, h);
            hl_text_print(&text, "%s", hl_label_text_of(hl_label_of(&head), NULL).text);
        }
    }
    fuzz_require(hl_text_status(&text).code == HL_OK);
    hl_text_free(&text);
    hl_report_maps_free(&maps);
    hl_heads_csv_free(&csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = { data, size };
    input_file_set(NULL, 0);
    hl_model_config config = {
        .vocabulary = VOCABULARY, .max_length = MOST_TOKENS, .n_layers = LAYERS, .heads = { 2, 1 }
    };
    uint8_t kind = next(&in);
    config.causal = kind % 2 == 1;
    config.targets = kind % 4 >= 2 ? MANY : 0; /* more than are kept of the largest */
    write_snapshot(&in, &config);
    hl_snapshot snapshot;
    if (hl_snapshot_read("fuzz.npz", &config, MOST_EXAMPLES, &snapshot).code == HL_OK) {
        measure(&snapshot);
        hl_snapshot_free(&snapshot);
    }
    return 0;
}
