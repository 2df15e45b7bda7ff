/* The bytes as a table, whose rows are as long as the first, with a header or without; and each row of it as a toy
 * task, whose tokens and targets go together. */
#include "core/examples.h"
#include "data/text/table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

static void check_task(hl_table *table, const hl_table_row *row)
{
    hl_table_task task;
    int64_t sources = row->n_columns > 2 ? 2 : -1;
    if (row->n_columns < 2 || hl_table_task_of(table, row, 0, 1, sources, &task).code != HL_OK) {
        return;
    }
    int64_t n_scored = 0;
    fuzz_require(task.n > 0);
    for (int64_t i = 0; i < task.n; i++) {
        fuzz_require(task.tokens[i].size > 0 && task.sources[i] >= HL_IGNORE && task.sources[i] < task.n);
        n_scored += task.targets[i].text != NULL;
    }
    fuzz_require(n_scored > 0);
}

static void read_all(bool header)
{
    hl_table *table;
    hl_table_row row = { .columns = NULL };
    int64_t column, n_columns = 0;
    if (hl_table_open("table", header, &table).code != HL_OK) {
        return;
    }
    if (hl_table_find(table, "text", &column).code == HL_OK) {
        fuzz_require(header && column >= 0);
    }
    bool found = hl_table_find(table, "2", &column).code == HL_OK;
    while (hl_table_next(table, &row).code == HL_OK && row.columns != NULL) {
        fuzz_require(row.n_columns > (found ? column : 0) && (n_columns == 0 || n_columns == row.n_columns));
        n_columns = row.n_columns;
        check_task(table, &row);
    }
    hl_table_close(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    read_all(true);
    read_all(false);
    return 0;
}
