#include "core/files/private/safetensors_types.h"

#include <stdint.h>
#include <string.h>

static hl_real from_f64(const void *from)
{
    double number;
    memcpy(&number, from, sizeof number);
    return (hl_real)number;
}

static hl_real from_f32(const void *from)
{
    float number;
    memcpy(&number, from, sizeof number);
    return (hl_real)number;
}

/* The float with these bits. */
static hl_real of_bits(uint32_t bits)
{
    return from_f32(&bits);
}

/* Google's brain float: the upper half of a float. */
static hl_real from_bf16(const void *from)
{
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return of_bits((uint32_t)half << 16);
}

/* IEEE 754's binary16: 1 bit of sign, 5 of exponent (bias 15), 10 of fraction. A float has 8 (bias 127) and 23. */
static hl_real from_f16(const void *from)
{
    uint16_t half;
    memcpy(&half, from, sizeof half);
    uint32_t sign = (half & 0x8000u) << 16, rest = half & 0x7FFFu;
    if (rest >= 0x7C00) { /* infinite, or not a number */
        return of_bits(sign | 0x7F800000u | rest << 13);
    }
    if (rest >= 0x0400) {
        return of_bits(sign | ((rest << 13) + ((127u - 15u) << 23)));
    }
    float size = (float)rest * 0x1p-24f; /* zero or subnormal */
    return (hl_real)(sign != 0 ? -size : size);
}

const hl_safetensors_type *hl_safetensors_type_find(const char *name)
{
    static const hl_safetensors_type types[] = {
        { "F32", 32, from_f32 },    { "F16", 16, from_f16 },    { "BF16", 16, from_bf16 }, { "F64", 64, from_f64 },
        { "I64", 64, NULL },        { "I32", 32, NULL },        { "I16", 16, NULL },       { "I8", 8, NULL },
        { "U64", 64, NULL },        { "U32", 32, NULL },        { "U16", 16, NULL },       { "U8", 8, NULL },
        { "BOOL", 8, NULL },        { "F8_E4M3", 8, NULL },     { "F8_E5M2", 8, NULL },    { "F8_E8M0", 8, NULL },
        { "F8_E4M3FNUZ", 8, NULL }, { "F8_E5M2FNUZ", 8, NULL }, { "F6_E2M3", 6, NULL },    { "F6_E3M2", 6, NULL },
        { "F4", 4, NULL },          { "C64", 64, NULL },
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(name, types[i].name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}
