/* The report's page (show/report/) and that of a sweep (show/sweep/), their styles and scripts inside: what comes
 * before the data or content and what comes after. Made by cmake/page.cmake when the library is built; no zero byte
 * ends them. */
#pragma once

#include <stddef.h>

extern const unsigned char hl_report_page_before[];
extern const size_t hl_report_page_before_size;
extern const unsigned char hl_report_page_after[];
extern const size_t hl_report_page_after_size;

extern const unsigned char hl_sweep_page_before[];
extern const size_t hl_sweep_page_before_size;
extern const unsigned char hl_sweep_page_after[];
extern const size_t hl_sweep_page_after_size;
