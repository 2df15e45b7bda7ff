#include "programs/heads/treebank_picture.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "heads/head_set.h"
#include "programs/heads/maps.h"

/* What the figure shows: the best fixed offset, and then every head, for each row of the study. */
typedef struct shares {
    int64_t n_columns;
    hl_real *values;        /* (n_rows, n_columns) */
    hl_head_name *heads;    /* (n_columns) */
    const char **columns;   /* (n_columns): names */
    const char **relations; /* (n_rows) */
} shares;

static hl_status make_shares(const hl_syntax_study *study, shares *s)
{
    int64_t n = study->found.n_heads + 1;
    *s = (shares){ .n_columns = n };
    s->values = hl_calloc((size_t)(study->n_rows * n), sizeof *s->values);
    s->heads = hl_calloc((size_t)n, sizeof *s->heads);
    s->columns = hl_calloc((size_t)n, sizeof *s->columns);
    s->relations = hl_calloc((size_t)study->n_rows, sizeof *s->relations);
    HL_NEED(s->values != NULL && s->heads != NULL && s->columns != NULL && s->relations != NULL, "a figure");
    s->columns[0] = "offset";
    for (int64_t column = 1; column < n; column++) {
        s->heads[column] = hl_head_name_at(&study->model->source.shape, column - 1);
        s->columns[column] = s->heads[column].text;
    }
    for (int64_t row = 0; row < study->n_rows; row++) {
        s->relations[row] = hl_syntax_study_name(study, study->rows[row]);
        s->values[row * n] =
            (hl_real)hl_syntax_share(hl_syntax_row_of(&study->found, study->rows[row]).held_out.baseline);
        for (int64_t column = 1; column < n; column++) {
            hl_syntax_choice held_out = hl_syntax_head_of(&study->found, study->rows[row], column - 1).held_out;
            s->values[row * n + column] = (hl_real)hl_syntax_share(held_out.found); /* NAN is drawn as 0 */
        }
    }
    return hl_ok();
}

hl_status hl_heads_treebank_picture(const hl_syntax_study *study, hl_picture_format format, hl_text *bytes)
{
    shares s;
    hl_text caption = { 0 };
    hl_text_print(&caption,
                  "%s on %s sentences: how often each head finds the syntactic head of a word, by relation, "
                  "in its better way, beside the best fixed offset (first column), in sentences 1, 3, 5 ...; sentences "
                  "0, 2, 4 ... choose the ways",
                  study->model->source.name, HL_COUNT(hl_treebank_size(study->treebank)));
    hl_status status = make_shares(study, &s);
    HL_THEN(status, hl_text_status(&caption));
    hl_panel panel = { .weights = s.values,
                       .n_queries = study->n_rows,
                       .n_keys = s.n_columns,
                       .stride = s.n_columns,
                       .queries = s.relations,
                       .keys = s.columns };
    hl_picture picture = { .panels = &panel,
                           .row_lengths = (const int64_t[]){ 1 },
                           .n_rows = 1,
                           .caption = caption.bytes,
                           .names = { .rows = "relation", .columns = "head", .colours = "share found, held out" } };
    HL_THEN(status, hl_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes));
    hl_text_free(&caption);
    hl_free(s.values);
    hl_free(s.heads);
    hl_free(s.columns);
    hl_free(s.relations);
    return status;
}
