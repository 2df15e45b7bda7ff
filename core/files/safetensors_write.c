#include "core/files/safetensors.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "core/files/private/safetensors_format.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static size_t tensor_bytes(const hl_named_tensor *tensor)
{
    int64_t count = hl_shape_count(tensor->shape);
    assert(count >= 0);
    return (size_t)count * sizeof(hl_real);
}

static hl_status add_metadata(json_t **object, const hl_metadata_item *items, int n)
{
    for (int i = 0; i < n; i++) {
        assert(json_object_get(*object, items[i].key) == NULL);
        json_error_t error = { 0 }; /* jansson does not set the code when out of memory */
        json_t *value = json_pack_ex(&error, 0, "s", items[i].value);
        if (value == NULL && json_error_code(&error) == json_error_invalid_utf8) {
            return hl_error(HL_INVALID, "the text of \"%s\" is not UTF-8", items[i].key);
        }
        hl_json_set(object, items[i].key, value);
    }
    HL_NEED(*object != NULL, "a file's metadata");
    return hl_ok();
}

/* The entry for a tensor whose data begins `begin` bytes into the payload; NULL when out of memory. */
static json_t *tensor_entry(const hl_named_tensor *tensor, size_t begin)
{
    json_t *shape = json_array();
    for (int i = 0; i < tensor->shape.n_dims; i++) {
        hl_json_append(&shape, json_integer(tensor->shape.size[i]));
    }
    size_t end = begin + tensor_bytes(tensor);
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", HL_SAFETENSORS_DTYPE, "shape", shape, "data_offsets",
                     (json_int_t)begin, (json_int_t)end);
}

static hl_status fill_header(json_t **header, const hl_named_tensor *tensors, int n_tensors,
                             const hl_metadata_item *items, int n_items)
{
    json_t *metadata =
        json_pack("{s:s, s:s}", "checksum", HL_SAFETENSORS_CHECKSUM_ZEROS, "writer", HL_SAFETENSORS_WRITER);
    hl_status status = add_metadata(&metadata, items, n_items);
    hl_json_set(header, "__metadata__", metadata);
    HL_TRY(status);
    size_t begin = 0;
    for (int i = 0; i < n_tensors; i++) {
        assert(json_object_get(*header, tensors[i].name) == NULL);
        hl_json_set(header, tensors[i].name, tensor_entry(&tensors[i], begin));
        begin += tensor_bytes(&tensors[i]);
    }
    HL_NEED(*header != NULL, "a file's header");
    return hl_ok();
}

/* Makes the file's first bytes: length, JSON, and spaces up to a multiple of eight. */
static hl_status header_bytes(const json_t *header, char **bytes, size_t *size)
{
    size_t length = json_dumpb(header, NULL, 0, JSON_COMPACT);
    if (length == 0) {
        return hl_error_memory("a file's header");
    }
    uint64_t padded = (length + 7) / 8 * 8;
    if (padded > HL_SAFETENSORS_MAX_HEADER) {
        return hl_error(HL_INVALID, "the header has %" PRIu64 " bytes, more than %d", padded,
                        (int)HL_SAFETENSORS_MAX_HEADER);
    }
    *size = HL_SAFETENSORS_LENGTH_BYTES + (size_t)padded;
    *bytes = hl_malloc(*size);
    HL_NEED(*bytes != NULL, "a file's header");
    memset(*bytes, ' ', *size);
    memcpy(*bytes, &padded, HL_SAFETENSORS_LENGTH_BYTES);
    if (json_dumpb(header, *bytes + HL_SAFETENSORS_LENGTH_BYTES, length, JSON_COMPACT) != length) {
        hl_free(*bytes);
        *bytes = NULL;
        return hl_error_memory("a file's header");
    }
    assert(memcmp(*bytes + HL_SAFETENSORS_LENGTH_BYTES, HL_SAFETENSORS_CHECKSUM_PREFIX HL_SAFETENSORS_CHECKSUM_ZEROS,
                  HL_SAFETENSORS_CHECKSUM_AT - HL_SAFETENSORS_LENGTH_BYTES + HL_SAFETENSORS_CHECKSUM_DIGITS) == 0);
    return hl_ok();
}

/* Replaces the zeros by the checksum of the whole file. */
static void fill_checksum(char *header, size_t size, const hl_named_tensor *tensors, int n_tensors)
{
    uLong crc = crc32_z(0, (const Bytef *)header, size);
    for (int i = 0; i < n_tensors; i++) {
        size_t bytes = tensor_bytes(&tensors[i]);
        if (bytes > 0) { /* if crc32_z received NULL, as the data of an empty tensor may be, it would start anew */
            crc = crc32_z(crc, (const Bytef *)tensors[i].data, bytes);
        }
    }
    char digits[HL_SAFETENSORS_CHECKSUM_DIGITS + 1];
    snprintf(digits, sizeof digits, "%08" PRIx32, (uint32_t)crc);
    memcpy(header + HL_SAFETENSORS_CHECKSUM_AT, digits, HL_SAFETENSORS_CHECKSUM_DIGITS);
}

static hl_status check_tensors(const hl_named_tensor *tensors, int n)
{
    for (int i = 0; i < n; i++) {
        if (tensors[i].name == NULL || hl_shape_count(tensors[i].shape) < 0 ||
            (tensors[i].data == NULL && hl_shape_count(tensors[i].shape) > 0)) {
            return hl_error(HL_INVALID, "tensor number %d has no name, no numbers or an impossible shape", i);
        }
    }
    return n >= 0 ? hl_ok() : hl_error(HL_INVALID, "%d tensors cannot be", n);
}

void hl_safetensors_write(hl_file *file, const hl_named_tensor *tensors, int n_tensors,
                          const hl_metadata_item *metadata, int n_metadata)
{
    if (file->error.code != HL_OK) {
        return;
    }
    char *header = NULL;
    size_t size = 0;
    hl_status status = check_tensors(tensors, n_tensors);
    json_t *root = json_object();
    HL_THEN(status, root != NULL ? fill_header(&root, tensors, n_tensors, metadata, n_metadata)
                                 : hl_error_memory("a file's header"));
    HL_THEN(status, header_bytes(root, &header, &size));
    json_decref(root);
    if (status.code != HL_OK) {
        hl_file_fail(file, hl_error(status.code, "%s: %s", file->path, status.text));
        return;
    }
    fill_checksum(header, size, tensors, n_tensors);
    hl_file_write(file, header, size);
    for (int i = 0; i < n_tensors; i++) {
        hl_file_write(file, tensors[i].data, tensor_bytes(&tensors[i]));
    }
    hl_free(header);
}
