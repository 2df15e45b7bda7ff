#include "programs/bench/json.h"

#include "core/files/json_text.h"

#include <stdio.h>

/* The fields that are one number. */
static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
#define NUMBER(name, field)                     \
    {                                           \
        name, offsetof(hl_bench_figures, field) \
    }
    NUMBER("ms_median", ms),
    NUMBER("ms_quarter", ms_quarter),
    NUMBER("ms_three_quarters", ms_3_quarters),
    NUMBER("tokens_per_second", tokens_per_second),
    NUMBER("gflops", gflops),
    NUMBER("flops_per_step", flops),
    NUMBER("sgemm_gflops", sgemm_gflops),
    NUMBER("peak_rss_mib", peak_rss_mib),
    NUMBER("arena_mib", arena_mib),
    NUMBER("allocations_per_step", allocations_per_step),
    NUMBER("padding_saved", padding_saved),
    NUMBER("length", length),
    NUMBER("batch", batch),
    NUMBER("dropout", dropout),
#undef NUMBER
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

static double *number_at(const hl_bench_figures *figures, int i)
{
    return (double *)(size_t)((const char *)figures + numbers[i].offset);
}

/* ---- writing: NULL stands for missing memory throughout ---- */

static json_t *profile_object(const hl_bench_profile *profile)
{
    json_t *rows = json_array();
    for (int i = 0; i < profile->n_rows; i++) {
        const hl_bench_row *row = &profile->rows[i];
        hl_json_append(&rows, json_pack("{s:s, s:b, s:f, s:f, s:f, s:f}", "op", row->op, "backward", (int)row->backward,
                                        "calls_per_step", row->calls, "ms", row->ms, "flops", row->flops, "bytes",
                                        row->bytes));
    }
    return json_pack("{s:f, s:o}", "ms_mean", profile->ms, "ops", rows);
}

static json_t *figures_object(const hl_bench_figures *figures)
{
    json_t *object = json_object();
    if (*figures->name != '\0') {
        hl_json_set(&object, "name", json_string(figures->name));
    }
    hl_json_set(&object, "threads", json_integer(figures->threads));
    hl_json_set(&object, "steps", json_integer(figures->steps));
    for (int i = 0; i < N_NUMBERS; i++) {
        hl_json_set(&object, numbers[i].name, json_real(*number_at(figures, i)));
    }
    if (*figures->precision != '\0') {
        hl_json_set(&object, "precision", json_string(figures->precision));
    }
    if (figures->sgemm_gflops > 0) {
        hl_json_set(&object, "share_of_sgemm", json_real(figures->gflops / figures->sgemm_gflops));
    }
    if (figures->profile.n_rows > 0) {
        hl_json_set(&object, "profile", profile_object(&figures->profile));
    }
    return object;
}

void hl_bench_json_line(hl_text *text, const hl_bench_figures *figures)
{
    hl_json_print(text, figures_object(figures), JSON_COMPACT);
}

void hl_bench_json_report(hl_text *text, const hl_bench_figures *workloads, int n)
{
    json_t *list = json_array();
    double best = 0;
    for (int i = 0; i < n; i++) {
        double rate = workloads[i].sgemm_gflops;
        best = rate > best ? rate : best;
        hl_json_append(&list, figures_object(&workloads[i]));
    }
    hl_bench_software software = hl_bench_machine_software();
    json_t *versions = json_pack("{s:s, s:s, s:s, s:s?}", "headlight", software.headlight, "compiler",
                                 software.compiler, "openblas", software.openblas, "libxsmm", software.libxsmm);
    json_t *report =
        json_pack("{s:f, s:i, s:s, s:o, s:o}", "sgemm_gflops", best, "threads", n > 0 ? workloads[0].threads : 0,
                  "core", software.core, "versions", versions, "workloads", list);
    hl_json_print_document(text, report);
}

/* ---- reading ---- */

static bool read_row(json_t *object, hl_bench_row *row)
{
    const char *op;
    int backward;
    *row = (hl_bench_row){ 0 };
    bool read =
        json_unpack(object, "{s:s, s:b, s:F, s:F, s:F, s:F}", "op", &op, "backward", &backward, "calls_per_step",
                    &row->calls, "ms", &row->ms, "flops", &row->flops, "bytes", &row->bytes) == 0;
    if (read) {
        snprintf(row->op, sizeof row->op, "%s", op);
        row->backward = backward;
    }
    return read;
}

static bool read_profile(json_t *object, hl_bench_profile *profile)
{
    json_t *rows = json_object_get(object, "ops");
    profile->ms = json_number_value(json_object_get(object, "ms_mean"));
    profile->n_rows = (int)json_array_size(rows);
    if (profile->n_rows > HL_BENCH_MAX_ROWS) {
        return false;
    }
    bool read = true;
    for (int i = 0; i < profile->n_rows && read; i++) {
        read = read_row(json_array_get(rows, (size_t)i), &profile->rows[i]);
    }
    return read;
}

static bool read_figures(json_t *root, hl_bench_figures *figures)
{
    json_int_t steps;
    if (json_unpack(root, "{s:i, s:I}", "threads", &figures->threads, "steps", &steps) != 0) {
        return false;
    }
    figures->steps = steps;
    for (int i = 0; i < N_NUMBERS; i++) {
        json_t *number = json_object_get(root, numbers[i].name);
        if (!json_is_number(number)) {
            return false;
        }
        *number_at(figures, i) = json_number_value(number);
    }
    const char *precision = json_string_value(json_object_get(root, "precision"));
    snprintf(figures->precision, sizeof figures->precision, "%s", precision != NULL ? precision : "");
    json_t *profile = json_object_get(root, "profile");
    return profile == NULL || read_profile(profile, &figures->profile);
}

hl_status hl_bench_json_read(const char *line, size_t size, hl_bench_figures *figures)
{
    json_t *root;
    *figures = (hl_bench_figures){ 0 };
    HL_TRY(hl_json_parse("what the measuring process wrote", line, size, &root));
    hl_status status = read_figures(root, figures)
                           ? hl_ok()
                           : hl_error(HL_BAD_FILE, "what the measuring process wrote: figures are missing");
    json_decref(root);
    return status;
}
