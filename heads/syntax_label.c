#include "heads/syntax_label.h"

#include "core/base/memory.h"

#include <string.h>

static int64_t cases_of(const hl_syntax *counts, int64_t relation)
{
    return counts->halves[0].cases[relation] + counts->halves[1].cases[relation];
}

int64_t hl_syntax_rows(const hl_syntax *counts, const hl_treebank *treebank, int64_t least_cases, bool punct_and_root,
                       int64_t *rows)
{
    int64_t n = 0, first = 0;
    for (int64_t r = 0; r < counts->n_relations; r++) {
        first = r == counts->n_own ? n : first; /* further relations stand below the treebank's own */
        const char *name = r < counts->n_own ? hl_treebank_relation(treebank, r) : "";
        bool left_out = strcmp(name, "punct") == 0 || strcmp(name, "root") == 0;
        if (cases_of(counts, r) < least_cases || cases_of(counts, r) == 0 || (left_out && !punct_and_root)) {
            continue;
        }
        int64_t at = n++;
        for (; at > first && cases_of(counts, rows[at - 1]) < cases_of(counts, r); at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = r;
    }
    return n;
}

static hl_syntax_label label_of(const hl_syntax *counts, const int64_t *rows, int64_t n, int64_t head)
{
    hl_syntax_label label = { .relation = -1 };
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        hl_syntax_choice own = hl_syntax_head_of(counts, rows[i], head).held_out;
        double lift = hl_syntax_share(own.found) - hl_syntax_share(own.baseline);
        if (!hl_syntax_names(counts, rows[i], &own)) {
            continue;
        }
        bool best = hl_syntax_row_of(counts, rows[i]).held_out.head == head;
        if (best || lift > most) {
            label = (hl_syntax_label){ .relation = rows[i], .held_out = own };
            most = lift;
        }
        if (best) {
            break;
        }
    }
    return label;
}

hl_status hl_syntax_labels_make(const hl_syntax *counts, const hl_treebank *treebank, const int64_t *rows, int64_t n,
                                hl_syntax_label **labels)
{
    *labels = hl_calloc((size_t)counts->n_heads, sizeof **labels);
    HL_NEED(*labels != NULL, "the labels of heads");
    for (int64_t head = 0; head < counts->n_heads; head++) {
        hl_syntax_label *label = &(*labels)[head];
        *label = label_of(counts, rows, n, head);
        label->name = treebank != NULL && label->relation >= 0 ? hl_treebank_relation(treebank, label->relation) : NULL;
    }
    return hl_ok();
}
