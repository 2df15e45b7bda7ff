#include "core/base/private/control_file.h"

#include "tests/check_suite.h"
#include "tests/control_files.h"

#include <string.h>

TEST(it_is_read_to_its_end_or_the_texts)
{
    char all[400], text[400] = "";
    for (int i = 0; i < 30; i++) {
        strcat(text, "0123456789");
    }
    const control_file files[] = { { "/sys/numbers", text }, { "/sys/empty", "" }, { NULL, NULL } };
    control_files_begin(files);
    ck_assert(hl_control_file_read("/sys/numbers", all, sizeof all));
    ck_assert_str_eq(all, text);
    ck_assert(hl_control_file_read("/sys/numbers", all, 1));
    ck_assert_str_eq(all, "");
    ck_assert(hl_control_file_read("/sys/numbers", all, 6));
    ck_assert_str_eq(all, "01234");
    ck_assert(hl_control_file_read("/sys/empty", all, sizeof all));
    ck_assert_str_eq(all, "");
    strcpy(all, "what was there");
    ck_assert(!hl_control_file_read("/sys/missing", all, sizeof all));
    ck_assert_str_eq(all, "");
    control_files_end();
    ck_assert(!hl_control_file_read("/proc/self", all, sizeof all)); /* a folder */
    ck_assert(hl_control_file_read("/proc/self/stat", all, sizeof all));
    ck_assert_uint_gt(strlen(all), 10);
}

SUITE("control file")
