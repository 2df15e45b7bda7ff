/* The parts of a model that write, and their names. */
#include "core/base/memory.h"
#include "heads/private/write_terms.h"

#include <math.h>
#include <stdio.h>

/* ---- writers ---- */

static void add_writer(hl_writer *writers, int *n, hl_writer_kind kind, int layer, int64_t number)
{
    if (writers != NULL) {
        writers[*n] = (hl_writer){ .kind = kind, .layer = layer, .number = number };
    }
    ++*n;
}

int hl_writers_of(const hl_model *model, hl_writer *writers)
{
    int n = 0;
    bool post = model->config.norm == HL_NORM_POST, bias = model->config.attention_bias == HL_BIAS_TRUE;
    bool norm_bias = model->config.norm_bias == HL_BIAS_TRUE && model->config.norm_kind == HL_NORM_LAYER;
    bool feeds = model->config.feed_forward != HL_FEED_FORWARD_NONE;
    add_writer(writers, &n, HL_WRITER_EMBEDDING, -1, 0);
    for (int l = 0; l < model->encoder.n_layers; l++) {
        for (int64_t h = 0; h < model->config.heads[l]; h++) {
            add_writer(writers, &n, HL_WRITER_HEAD, l, h);
        }
        if (bias) {
            add_writer(writers, &n, HL_WRITER_ATTENTION_BIAS, l, 0);
        }
        if (norm_bias && post) {
            add_writer(writers, &n, HL_WRITER_NORM_BIAS, l, 1);
        }
        if (feeds) {
            add_writer(writers, &n, HL_WRITER_FEED_FORWARD, l, 0);
        }
        if (feeds && norm_bias && post) {
            add_writer(writers, &n, HL_WRITER_NORM_BIAS, l, 2);
        }
    }
    if (norm_bias && !post) {
        add_writer(writers, &n, HL_WRITER_NORM_BIAS, -1, 0);
    }
    if (model->output.linear.bias != NULL) {
        add_writer(writers, &n, HL_WRITER_OUTPUT_BIAS, -1, 0);
    }
    return n;
}

/* ---- names ---- */

void hl_writer_name(const hl_writer *writer, char name[HL_WRITER_NAME])
{
    int l = writer->layer, number = (int)writer->number;
    switch (writer->kind) {
    case HL_WRITER_EMBEDDING:
        snprintf(name, HL_WRITER_NAME, "embedding");
        break;
    case HL_WRITER_HEAD:
        snprintf(name, HL_WRITER_NAME, "L%dH%d", l, number);
        break;
    case HL_WRITER_ATTENTION_BIAS:
        snprintf(name, HL_WRITER_NAME, "L%d attention bias", l);
        break;
    case HL_WRITER_FEED_FORWARD:
        snprintf(name, HL_WRITER_NAME, "L%d feed-forward", l);
        break;
    case HL_WRITER_NORM_BIAS:
        if (l < 0) {
            snprintf(name, HL_WRITER_NAME, "last norm bias");
        } else {
            snprintf(name, HL_WRITER_NAME, "L%d norm%d bias", l, number);
        }
        break;
    case HL_WRITER_OUTPUT_BIAS:
        snprintf(name, HL_WRITER_NAME, "output bias");
        break;
    }
}

double hl_writes_share(const hl_writes *writes, const hl_writer *writer)
{
    bool clear = writes->has_answers && fabs(writes->logit.mean) > 3 * writes->logit.error;
    return clear ? writer->direct.mean / writes->logit.mean : NAN;
}

void hl_writes_free(hl_writes *writes)
{
    hl_free(writes->writers);
    hl_free(writes->heads);
    hl_free(writes->answers);
    hl_free(writes->terms);
    *writes = (hl_writes){ 0 };
}
