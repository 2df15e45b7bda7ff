/* The one drawing that pictures of every format are. */
#ifndef HL_SHOW_PRIVATE_PICTURE_PAINT_H
#define HL_SHOW_PRIVATE_PICTURE_PAINT_H

#include "core/declarations.h"
#include "show/private/picture_layout.h"

HL_BEGIN_DECLS

/* HL_NO_MEMORY. What cairo cannot do is left on it. */
hl_status hl_picture_paint(const hl_picture *picture, const hl_picture_layout *layout, cairo_t *cairo);

HL_END_DECLS

#endif
