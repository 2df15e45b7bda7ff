/* Brackets for the declarations in every public header, so that C++ programs can include it. */
#pragma once

#ifdef __cplusplus
#define HL_BEGIN_DECLS extern "C" {
#define HL_END_DECLS }
#else
#define HL_BEGIN_DECLS
#define HL_END_DECLS
#endif
