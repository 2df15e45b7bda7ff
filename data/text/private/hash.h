/* A hash of bytes, for tables of texts and for splitting examples by their content. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits, over the bytes. `hash` is the hash of the bytes before them; begin with HL_HASH. */
#define HL_HASH UINT64_C(14695981039346656037)
static inline uint64_t hl_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/* The hash of a pair of ids. */
static inline uint64_t hl_hash_pair(int32_t left, int32_t right)
{
    return ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * UINT64_C(0x9E3779B97F4A7C15);
}
