/* Short ways to ask the program predict, and to train what it asks. */
#pragma once

#include "core/files/json.h"
#include "programs/predict/program.h"
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <string.h>

static inline run_result predict(const char *const *arguments)
{
    return run_with((run_options){ .arguments = arguments, .program = hl_predict_program });
}
#define PREDICT(...) predict((const char *const[]){ __VA_ARGS__, NULL })

/* The answers where all goes well, and `err` holds this ("": is empty). */
static inline const char *answers(run_result run, const char *err)
{
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    ck_assert_msg(*err == '\0' ? *run.err == '\0' : strstr(run.err, err) != NULL, "no \"%s\" in: %s", err, run.err);
    return run_kept(run.out);
}

/* The JSON at the beginning of the text; `flags` are jansson's. Stands to the end of the test. */
static inline json_t *json_in(const char *text, size_t flags)
{
    json_error_t error;
    json_t *json = json_loads(text, flags, &error);
    ck_assert_msg(json != NULL, "%s in %s", error.text, text);
    return answer_owned(json);
}

/* The JSON that it prints. */
static inline json_t *json_answer(run_result run)
{
    ck_assert_msg(run.code == 0, "%s", run.err);
    return json_in(run.out, 0);
}

/* The folder of a run of that task on the file; `more` holds lines of [task], [tokens] ... */
static inline const char *train_on(const char *task, const char *path, const char *more)
{
    const char *config =
        scratch_format("[task]\nname = %s\nfile = %s\nvalidation_share = 0.3\n%s\n"
                       "[model]\nlayers = 1\nd_model = 16\nheads = 2\nd_ff = 32\ndropout = 0\n"
                       "[optimizer]\nlearning_rate = 0.01\nwarmup_steps = 1\n"
                       "[train]\nsteps = 30\nbatch_size = 4\nlog_every = 10\neval_every = 30\nthreads = 1\n"
                       "[patterns]\nexamples = 0\n",
                       task, path, more);
    const char *name = scratch_format("%s.ini", task);
    const char *folder = run_path(task);
    EXPECT_RUN(0, run_config(name, config), "--quiet", "--out", folder);
    return folder;
}
