/* JSON as text that grows. */
#ifndef HL_TRAIN_JSON_TEXT_H
#define HL_TRAIN_JSON_TEXT_H

#include "core/json.h"
#include "heads/text.h"

/* Adds the value and a newline, numbers with nine significant digits, and releases it; NULL stands for missing memory.
 * `flags`: jansson's. HL_NO_MEMORY is left on the text. */
void hl_json_print(hl_text *text, json_t *root, size_t flags);

#endif
