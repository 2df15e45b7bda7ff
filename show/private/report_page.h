/* The report's page (show/report/), its style and script inside: what comes before the data and what comes after. Made
 * by cmake/page.cmake when the library is built; no zero byte ends them. */
#ifndef HL_SHOW_PRIVATE_REPORT_PAGE_H
#define HL_SHOW_PRIVATE_REPORT_PAGE_H

#include "core/declarations.h"

#include <stddef.h>

HL_BEGIN_DECLS

extern const unsigned char hl_report_page_before[];
extern const size_t hl_report_page_before_size;
extern const unsigned char hl_report_page_after[];
extern const size_t hl_report_page_after_size;

HL_END_DECLS

#endif
