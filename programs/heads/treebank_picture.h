/* A figure of what heads find in a treebank: relations by heads. */
#ifndef HL_PROGRAMS_HEADS_TREEBANK_PICTURE_H
#define HL_PROGRAMS_HEADS_TREEBANK_PICTURE_H

#include "core/base/text.h"
#include "show/picture.h"
#include "study/syntax_study.h"

/* Adds a map whose rows are those of the study, and whose columns are the best fixed offset and all heads: shares held
 * out. Fails as hl_picture_print. */
hl_status hl_heads_treebank_picture(const hl_syntax_study *study, hl_picture_format format, hl_text *bytes);

#endif
