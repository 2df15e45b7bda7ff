/* Every op of the library. An op that is not in this list does not exist for the tests; one that is must have a row in
 * the gradient checks' table, or a test fails. */
#ifndef HL_CORE_OP_LIST_H
#define HL_CORE_OP_LIST_H

#include "core/declarations.h"
#include "core/op.h"

HL_BEGIN_DECLS

extern const hl_op *const hl_op_list[];
extern const int hl_op_count;

HL_END_DECLS

#endif
