/* The helper by which tests read messages from the golden file. */
#include "tests/messages.h"

#include "tests/check_suite.h"

#include <stdlib.h>

TEST(words_take_the_place_of_braces)
{
    char *text = message_text("messages.example", message_place("a.ini", 7), "heds");
    ck_assert_str_eq(text, "a.ini:7: heds is no key; heds in a.ini:7 {\"is\": {}}\n\n  a second line |");
    message_check(hl_error(HL_INVALID, "out of memory: %s", "a list"), HL_INVALID, "status.no_memory", "a list");
    message_check_text(text, "messages.example", "a.ini:7", "heds");
    free(text);
}

SUITE("messages")
