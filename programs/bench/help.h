/* The text of --help, from the folder help/. "{heads}" and the like stand for the names of programs. */
#ifndef HL_PROGRAMS_BENCH_HELP_H
#define HL_PROGRAMS_BENCH_HELP_H

extern const char hl_bench_help_usage[];

#endif
