/* usage: heads_csv_of CAUSAL SNAPSHOT.npz ...
 *
 * Prints what heads.csv would hold of these snapshots, given by step, and then "label,<step>,<layer>,<head>,<text>" of
 * every head: for numpy_metrics.py, which computes the same. CAUSAL is 0 or 1. Gold relations go by numbers. Of text
 * the snapshots hold words, forms and rarest, too, and the bits of the first tokens and forms: kinds, form_kinds. */
#include "core/files/npz.h"
#include "heads/heads_csv.h"
#include "heads/label.h"
#include "heads/private/validation_sums_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LAYERS = 64, MOST_IDS = 9 };

static void expect(hl_status status)
{
    if (status.code != HL_OK) {
        fprintf(stderr, "heads_csv_of: %s\n", status.text);
        exit(1);
    }
}

static const void *data_of(const hl_npz *npz, const char *name)
{
    const hl_npz_array *array = hl_npz_find(npz, name);
    return array != NULL ? array->data : NULL;
}

/* Bits of few tokens or forms, which NumPy's arrays hold as int32. */
static const unsigned char *bits_of(const hl_npz *npz, const char *name, unsigned char bits[MOST_IDS])
{
    const int32_t *numbers = data_of(npz, name);
    for (int i = 0; numbers != NULL && i < MOST_IDS; i++) {
        bits[i] = (unsigned char)numbers[i];
    }
    return numbers != NULL ? bits : NULL;
}

/* Head 0 of each layer; returns how many layers there are. */
static int read_layers(const hl_npz *npz, bool causal, hl_patterns layers[MOST_LAYERS])
{
    static unsigned char kinds[MOST_IDS], form_kinds[MOST_IDS];
    const hl_npz_array *relations = hl_npz_find(npz, "relations");
    int n = 0;
    for (; n < MOST_LAYERS; n++) {
        char name[32];
        snprintf(name, sizeof name, "layer_%d", n);
        const hl_npz_array *array = hl_npz_find(npz, name);
        if (array == NULL) {
            break;
        }
        const hl_pattern_text text = { .kinds = bits_of(npz, "kinds", kinds),
                                       .words = data_of(npz, "words"),
                                       .forms = data_of(npz, "forms"),
                                       .form_kinds = bits_of(npz, "form_kinds", form_kinds),
                                       .rarest = data_of(npz, "rarest") };
        layers[n] = (hl_patterns){ .weights = array->data,
                                   .lengths = data_of(npz, "lengths"),
                                   .n_heads = array->shape.size[1],
                                   .n_tokens = array->shape.size[2],
                                   .causal = causal,
                                   .n_examples = array->shape.size[0],
                                   .tokens = data_of(npz, "tokens"),
                                   .sources = data_of(npz, "source"),
                                   .relations = relations != NULL ? relations->data : NULL,
                                   .n_relations = relations != NULL ? relations->shape.size[1] : 0,
                                   .text = text };
    }
    return n;
}

/* The sums of the whole validation set, or NULL; `heads` must outlive them. */
static const hl_validation_sums *read_sums(const hl_npz *npz, const hl_patterns *layers, int n_layers, int32_t *heads,
                                           hl_validation_sums *sums)
{
    for (int l = 0; l < n_layers; l++) {
        heads[l] = (int32_t)layers[l].n_heads;
    }
    if (!hl_validation_sums_are_in(npz)) {
        return NULL;
    }
    expect(hl_validation_sums_read(npz, "snapshot", n_layers, heads, layers->n_tokens, 1 << 16, sums));
    return sums;
}

static void print_labels(int64_t step, const hl_patterns *layers, int n_layers, hl_text *text)
{
    for (int l = 0; l < n_layers; l++) {
        hl_patterns head = layers[l];
        for (head.head = 0; head.head < head.n_heads; head.head++) {
            hl_text_print(text, "label,%" PRId64 ",%d,%" PRId64 ",%s\n", step, l, head.head,
                          hl_label_text_of(hl_label_of(&head), NULL).text);
        }
    }
}

int main(int argc, char **argv)
{
    hl_heads_csv csv = { 0 };
    hl_text rows = { 0 }, labels = { 0 };
    for (int i = 2; i < argc; i++) {
        hl_npz npz;
        hl_patterns layers[MOST_LAYERS];
        expect(hl_npz_read(argv[i], (size_t)1 << 30, &npz));
        int n_layers = read_layers(&npz, strcmp(argv[1], "1") == 0, layers);
        static hl_validation_sums sums;
        int32_t heads[MOST_LAYERS];
        const hl_validation_sums *all = read_sums(&npz, layers, n_layers, heads, &sums);
        int64_t step = *(const int64_t *)data_of(&npz, "step");
        expect(hl_heads_csv_add(&csv, step, layers, n_layers, all, NULL));
        print_labels(step, layers, n_layers, &labels);
        hl_npz_free(&npz);
    }
    hl_heads_csv_print(&csv, NULL, -1, &rows);
    expect(hl_text_status(&rows));
    expect(hl_text_status(&labels));
    printf("%s%s", rows.bytes, labels.bytes);
    hl_text_free(&rows);
    hl_text_free(&labels);
    hl_heads_csv_free(&csv);
    return 0;
}
