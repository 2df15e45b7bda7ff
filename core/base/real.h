/* The number type of the whole library.
 *
 * The same sources compile twice: with float for training, and with double (HL_DOUBLE is defined) for the gradient
 * checks. Other files do not depend on the choice; <tgmath.h> picks expf or exp by the type of the argument. */
#pragma once

#include "core/base/declarations.h"

HL_BEGIN_DECLS

#ifdef HL_DOUBLE
typedef double hl_real;
#define HL_REAL_NAME "float64"
#else
typedef float hl_real;
#define HL_REAL_NAME "float32"
#endif

HL_END_DECLS
