/* What a user is told stands in one file, tests/golden/messages, which people edit and nothing rewrites. A test names a
 * message by its id and checks it to the letter.
 *
 * The file holds lines "id | text", a section for each folder of tests; a line that begins with # is a comment, and a
 * line of blanks before | continues the text above with a new line. {path}, {place} and other lower-case words in
 * braces take the place of what differs from run to run: in order, each takes one of the words that the test gives; a
 * name that stands twice takes the same word. {scratch} is the test's own folder and {tree} that of the sources: they
 * take none. */
#pragma once

#include "core/base/status.h"

/* Fails the running test unless the status has this code and is the message of this id:
 *
 *     message_check(hl_lines_next(lines), HL_BAD_FILE, "lines.zero_byte", message_place(path, 3));
 */
#define message_check(status, code, ...) \
    message_check_words(__FILE__, __LINE__, status, code, (const char *const[]){ __VA_ARGS__, NULL })

/* The same for a text that is no status. */
#define message_check_text(text, ...) \
    message_check_text_words(__FILE__, __LINE__, text, (const char *const[]){ __VA_ARGS__, NULL })

/* The message as it shall be. To be freed by free(). */
#define message_text(...) message_text_of((const char *const[]){ __VA_ARGS__, NULL })

/* "path:line", which stands until the next eight calls. */
const char *message_place(const char *path, int line);

/* What the macros call: `words` are the id, the words for its braces, and NULL. `file` and `line` are of the check. */
void message_check_words(const char *file, int line, hl_status status, hl_code code, const char *const *words);
void message_check_text_words(const char *file, int line, const char *text, const char *const *words);
char *message_text_of(const char *const *words);
