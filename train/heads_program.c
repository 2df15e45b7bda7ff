#include "train/heads_program.h"

#include "core/files.h"
#include "train/heads_command.h"
#include "train/heads_json.h"
#include "train/heads_maps.h"
#include "train/heads_record.h"
#include "train/heads_study.h"
#include "train/heads_table.h"

#include <string.h>
#include <unistd.h>

/* One call of the program. */
typedef struct call {
    hl_heads_command command;
    FILE *out, *err;
    hl_opened_run run;
    hl_heads_study study;
} call;

/* Writes the text to a file, or to standard output where that is "-"; frees it. */
static hl_status deliver(const call *c, const char *path, hl_text *text)
{
    hl_status status = hl_text_status(text);
    if (status.code == HL_OK && strcmp(path, "-") != 0) {
        status = hl_file_replace(path, text->bytes, text->size, HL_VOLATILE);
    } else if (status.code == HL_OK) {
        fwrite(text->bytes, 1, text->size, c->out);
    }
    hl_text_free(text);
    return status;
}

/* ---- heads.csv ---- */

/* A run of somebody else's can be read all the same. */
static hl_status write_record(const call *c, const hl_text *record)
{
    if (access(c->run.path, W_OK) != 0) {
        fprintf(c->err, "%s: this folder cannot be written to: its heads.csv stays as it is\n", c->run.path);
        return hl_ok();
    }
    return hl_heads_record_write(&c->run, record);
}

static hl_status do_record(const call *c)
{
    hl_text record = { 0 };
    hl_status status = hl_heads_record_make(&c->run, &record);
    if (status.code == HL_OK) {
        status = write_record(c, &record);
    }
    if (status.code == HL_OK && c->command.csv != NULL) {
        return deliver(c, c->command.csv, &record);
    }
    hl_text_free(&record);
    return status;
}

/* ---- the table ---- */

static hl_status make_study(call *c)
{
    HL_TRY(hl_opened_run_check_steps(&c->run));
    bool chosen = c->command.step >= 0;
    int64_t step = chosen ? c->command.step : c->run.steps[c->run.n_steps - 1];
    hl_snapshot snapshot;
    HL_TRY(hl_opened_run_snapshot(&c->run, step, &snapshot));
    hl_status status = hl_heads_study_make(&c->study, &c->run, &snapshot, chosen);
    hl_snapshot_free(&snapshot);
    return status;
}

static bool is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static hl_status print_table(const call *c)
{
    hl_text table = { 0 };
    hl_heads_table_write(&table, c->run.path, &c->study, c->run.relations);
    return deliver(c, "-", &table);
}

static hl_status print_json(const call *c)
{
    hl_text json = { 0 };
    hl_heads_json_write(&json, &c->study, c->run.relations);
    return deliver(c, c->command.json, &json);
}

static hl_status do_figures(call *c)
{
    const hl_heads_command *command = &c->command;
    bool alone = is_standard_output(command->json) || is_standard_output(command->csv);
    HL_TRY(make_study(c));
    if (!alone && !hl_heads_command_shows(command)) {
        HL_TRY(print_table(c));
    }
    if (command->json != NULL) {
        HL_TRY(print_json(c));
    }
    return do_record(c);
}

/* ---- the command ---- */

static hl_status execute(call *c)
{
    const hl_heads_command *command = &c->command;
    if (command->help) {
        fputs(hl_heads_command_usage, c->out);
        return hl_ok();
    }
    if (command->version) {
        fprintf(c->out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    HL_TRY(hl_opened_run_open(&c->run, command->run));
    bool shows = hl_heads_command_shows(command);
    if (shows) {
        HL_TRY(hl_heads_show(&c->run, command, c->out));
    }
    return !shows || command->json != NULL || command->csv != NULL ? do_figures(c) : hl_ok();
}

int hl_heads_program(int argc, char **argv, FILE *out, FILE *err)
{
    call c = { .out = out, .err = err };
    hl_status status = hl_heads_command_parse(argc, argv, &c.command);
    if (status.code == HL_OK) {
        status = execute(&c);
    }
    if (status.code == HL_OK && (fflush(out) != 0 || ferror(out) != 0)) {
        status = hl_file_system_error("standard output", "cannot write");
    }
    if (status.code != HL_OK) {
        fprintf(err, "%s\n", status.text);
    }
    hl_heads_study_free(&c.study);
    hl_opened_run_close(&c.run);
    return (int)status.code;
}
