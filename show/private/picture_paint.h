/* Paints a picture; all file formats use this one drawing. */
#ifndef HL_SHOW_PRIVATE_PICTURE_PAINT_H
#define HL_SHOW_PRIVATE_PICTURE_PAINT_H

#include "core/declarations.h"
#include "show/private/picture_layout.h"

HL_BEGIN_DECLS

/* Paints the picture with that layout. HL_NO_MEMORY; cairo's own errors stay on `cairo`. */
hl_status hl_picture_paint(const hl_picture *picture, const hl_picture_layout *layout, cairo_t *cairo);

HL_END_DECLS

#endif
