/* The text of --help, from the folder help/. "{heads}" and the like stand for the names of programs. */
#pragma once

extern const char hl_ablate_help_usage[];
