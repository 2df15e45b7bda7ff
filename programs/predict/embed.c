#include "programs/predict/embed.h"

#include "core/files/npy.h"

#include <stdio.h>

/* The header's size does not depend on the number of lines, which the end tells. */
static void write_header(hl_predict_embedding *e)
{
    char header[HL_NPY_MAX_WRITTEN];
    size_t size = hl_npy_header_write(HL_NPY_FLOAT32, HL_SHAPE(e->lines, e->width), header);
    hl_file_write(&e->file, header, size);
}

hl_status hl_predict_embedding_begin(hl_predict_embedding *e, const char *path, const hl_predictor *p)
{
    *e = (hl_predict_embedding){ .file = { .fd = -1 }, .width = p->width };
    HL_TRY(hl_file_create(&e->file, path));
    write_header(e);
    return e->file.error;
}

static void write_row(void *context, int64_t i, const hl_real *row)
{
    (void)i;
    hl_predict_embedding *e = context;
    hl_file_write(&e->file, row, (size_t)e->width * sizeof *row);
    e->lines++;
}

hl_status hl_predict_embedding_add(hl_predict_embedding *e, hl_predictor *p)
{
    HL_TRY(hl_predictor_vector(p, write_row, e));
    return e->file.error;
}

hl_status hl_predict_embedding_end(hl_predict_embedding *e, hl_status so_far)
{
    if (so_far.code != HL_OK) {
        hl_file_abandon(&e->file);
        return so_far;
    }
    hl_file_seek(&e->file, 0, SEEK_SET);
    write_header(e);
    return hl_file_commit(&e->file, HL_VOLATILE);
}
