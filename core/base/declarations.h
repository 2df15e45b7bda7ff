/* Brackets for the declarations in every public header, so that C++ programs can include it. */
#ifndef HL_CORE_BASE_DECLARATIONS_H
#define HL_CORE_BASE_DECLARATIONS_H

#ifdef __cplusplus
#define HL_BEGIN_DECLS extern "C" {
#define HL_END_DECLS }
#else
#define HL_BEGIN_DECLS
#define HL_END_DECLS
#endif

#endif
