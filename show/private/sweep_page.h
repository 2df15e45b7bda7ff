/* The page of a sweep (show/sweep/), its style inside: what comes before the content and what comes after. Made by
 * cmake/page.cmake when the library is built; no zero byte ends them. */
#ifndef HL_SHOW_PRIVATE_SWEEP_PAGE_H
#define HL_SHOW_PRIVATE_SWEEP_PAGE_H

#include "core/declarations.h"

#include <stddef.h>

HL_BEGIN_DECLS

extern const unsigned char hl_sweep_page_before[];
extern const size_t hl_sweep_page_before_size;
extern const unsigned char hl_sweep_page_after[];
extern const size_t hl_sweep_page_after_size;

HL_END_DECLS

#endif
