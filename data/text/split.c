#include "data/text/split.h"

#include "data/text/private/hash.h"

/* The size is added after the bytes, so that parts keep their borders. */
uint64_t hl_content_add(uint64_t hash, const void *bytes, size_t size)
{
    hash = hl_hash(hash, bytes, size);
    for (uint64_t left = size; left > 0; left >>= 8) {
        hash = hl_hash(hash, &(unsigned char){ left & 0xff }, 1);
    }
    return hl_hash(hash, &(unsigned char){ 0xff }, 1);
}

bool hl_content_is_validation(uint64_t hash, double share)
{
    /* The upper bits of FNV depend little on the last bytes, so mix them (the finalizer of MurmurHash3). */
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    hash ^= hash >> 33;
    return (double)(hash >> 11) * 0x1p-53 < share;
}
