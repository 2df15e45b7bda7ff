/* The workloads that bench itself comes with. */
#ifndef HL_PROGRAMS_BENCH_CONFIGS_H
#define HL_PROGRAMS_BENCH_CONFIGS_H

#include "core/status.h"

enum { HL_BENCH_SHIPPED = 5 };

/* Their names, in the order of their arithmetic: tiny, copy, small, base, long. */
extern const char *const hl_bench_shipped_names[HL_BENCH_SHIPPED];

/* The path of the one of that name, beside `program`: configs/bench/NAME.ini in its folder, else, as installed,
 * ../share/headlight/configs/bench/NAME.ini. HL_BAD_FILE, naming both, where neither is there; HL_NO_MEMORY. On
 * success *path is owned by the caller: hl_free. */
hl_status hl_bench_shipped_config(const char *program, const char *name, char **path);

#endif
