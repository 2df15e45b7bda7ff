#include "core/private/op_list.h"

#define DECLARE(name) extern const hl_op hl_op_##name;
HL_OPS(DECLARE)

#define ENTRY(name) &hl_op_##name,
const hl_op *const hl_op_list[] = { HL_OPS(ENTRY) };
const int hl_op_count = sizeof hl_op_list / sizeof *hl_op_list;
