#include "show/private/report_json.h"

bool hl_report_has_many_rows(const hl_heads_csv *csv)
{
    int64_t shown = 0;
    for (size_t i = 0; csv != NULL && i < csv->n; i++) {
        shown += hl_heads_csv_shows(csv, &csv->rows[i].reading);
    }
    return shown > HL_REPORT_ROWS;
}

/* Whether the page shows the row although there are many. */
static bool is_kept(const hl_report_run *run, const hl_heads_csv_row *row)
{
    hl_metric metric = row->reading.metric;
    int64_t k = row->reading.parameter, index = row->head;
    if ((metric != HL_METRIC_OFFSET && metric != HL_METRIC_ALL_OFFSET) || (k >= -1 && k <= 1)) {
        return metric != HL_METRIC_JS;
    }
    for (int l = 0; l < row->layer; l++) {
        index += run->maps->n_heads[l];
    }
    return run->labels != NULL && run->labels[index].kind == HL_LABEL_OFFSET && run->labels[index].parameter == k;
}

void hl_report_rows_print(hl_text *text, const hl_report_run *run)
{
    if (!hl_report_has_many_rows(run->csv)) {
        hl_heads_csv_print(run->csv, run->relations, -1, text);
        return;
    }
    hl_text_print(text, "step,layer,head,metric,value,baseline\n");
    for (size_t i = 0; i < run->csv->n; i++) {
        if (is_kept(run, &run->csv->rows[i])) {
            hl_heads_csv_print_row(&run->csv->rows[i], run->relations, text);
        }
    }
}
