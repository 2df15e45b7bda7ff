/* Command lines of heads as one types them. */
#pragma once

#include "programs/heads/command.h"
#include "tests/programs/command_lines.h"

/* Reads the words of the line, which blanks part; each underscore in them is a blank. Texts in *command stand to the
 * end of the test. */
static inline hl_status heads_line(const char *line, hl_heads_command *command)
{
    command_line words = command_line_of("heads", line);
    for (int i = 1; i < words.argc; i++) {
        for (char *at = words.argv[i]; (at = strchr(at, '_')) != NULL;) {
            *at = ' ';
        }
    }
    return hl_heads_command_parse(words.argc, words.argv, command);
}
