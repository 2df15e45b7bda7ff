/* What lies beside the program that runs: the other programs, as they are found and as they are called, and the configs
 * that Headlight comes with. */
#pragma once

#include "core/base/status.h"

#include <stdio.h>

enum { HL_SIBLING_TEXT = 4096 };

/* The path of this program with `own` at its end replaced by `other`: /usr/bin/headlight-ablate has its train at
 * /usr/bin/headlight-train. "" where this one does not end so or its path is not known or too long. */
void hl_sibling_program(const char *own, const char *other, char path[HL_SIBLING_TEXT]);

/* Tells once, before anything is printed, that the program `own` was called as `name`: argv[0], or NULL. */
void hl_called_as(const char *own, const char *name);

/* How the user calls a program, one of train, heads, predict, ablate and bench: "./heads" where this one was called
 * "./train", "headlight-heads" where it was "headlight-train"; its plain name where that is not known. */
const char *hl_program_name(const char *program);

/* Prints a text for --help in lines as wide as the terminal, of 80 where `out` is none (hl_print_wrapped): "{heads}" in
 * it becomes that program's name, and a last line tells the names of the installed programs, unless this is one.
 * HL_NO_MEMORY. */
hl_status hl_print_help(FILE *out, const char *text);

/* The path of a config that Headlight comes with, as "bench/copy.ini", in new memory (hl_free): in configs/ in the
 * folder of `program`, else, as installed, in ../share/headlight/configs. HL_BAD_FILE, naming both, where neither has
 * it; HL_NO_MEMORY. */
hl_status hl_shipped_config(const char *program, const char *name, char **path);

/* The path of a config that the user names, likewise: `name` where there is such a file, else a shipped one of that
 * name, which may begin with "configs/"; `name` all the same where there is none. HL_INVALID of
 * "-", which is no file; HL_NO_MEMORY. */
hl_status hl_find_config(const char *name, char **path);
