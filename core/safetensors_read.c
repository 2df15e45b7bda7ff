#include "core/safetensors.h"

#include "core/json.h"
#include "core/memory.h"
#include "core/safetensors_format.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

typedef struct entry {
    const char *name; /* of the JSON's */
    hl_shape shape;
    size_t element; /* bytes of one number: 4 or 8 */
    int64_t begin;  /* the range of the data in the payload, bytes */
    int64_t end;
} entry;

struct hl_safetensors {
    char *content; /* the whole file */
    size_t size;
    size_t payload; /* where it begins in the content */
    json_t *header;
    json_t *metadata; /* part of the header, or NULL */
    entry *entries;
    int n_entries;
    bool has_checksum;
};

/* Checksum */

/* Whether the digits of a checksum stand where the files written here have them. */
static bool checksum_in_place(const hl_safetensors *file)
{
    static const char prefix[] = HL_SAFETENSORS_CHECKSUM_PREFIX;
    if (file->size <= HL_SAFETENSORS_CHECKSUM_AT + HL_SAFETENSORS_CHECKSUM_DIGITS ||
        memcmp(file->content + HL_SAFETENSORS_LENGTH_BYTES, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    const char *digits = file->content + HL_SAFETENSORS_CHECKSUM_AT;
    return strspn(digits, "0123456789abcdef") >= HL_SAFETENSORS_CHECKSUM_DIGITS &&
           digits[HL_SAFETENSORS_CHECKSUM_DIGITS] == '"';
}

static hl_status verify_checksum(const hl_safetensors *file, const char *path)
{
    const Bytef *bytes = (const Bytef *)file->content;
    size_t after = HL_SAFETENSORS_CHECKSUM_AT + HL_SAFETENSORS_CHECKSUM_DIGITS;
    uLong crc = crc32_z(0, bytes, HL_SAFETENSORS_CHECKSUM_AT);
    crc = crc32_z(crc, (const Bytef *)HL_SAFETENSORS_CHECKSUM_ZEROS, HL_SAFETENSORS_CHECKSUM_DIGITS);
    crc = crc32_z(crc, bytes + after, file->size - after);
    char digits[HL_SAFETENSORS_CHECKSUM_DIGITS + 1];
    snprintf(digits, sizeof digits, "%08" PRIx32, (uint32_t)crc);
    if (memcmp(digits, bytes + HL_SAFETENSORS_CHECKSUM_AT, HL_SAFETENSORS_CHECKSUM_DIGITS) != 0) {
        return hl_error(HL_BAD_FILE, "%s: is damaged or was changed: its checksum should be %.8s and is %s", path,
                        file->content + HL_SAFETENSORS_CHECKSUM_AT, digits);
    }
    return hl_ok();
}

/* Header */

static hl_status parse_header(hl_safetensors *file, const char *path)
{
    uint64_t length;
    if (file->size < HL_SAFETENSORS_LENGTH_BYTES) {
        return hl_error(HL_BAD_FILE, "%s: is no safetensors file: it has only %zu bytes", path, file->size);
    }
    memcpy(&length, file->content, HL_SAFETENSORS_LENGTH_BYTES);
    if (length > HL_SAFETENSORS_MAX_HEADER) {
        return hl_error(HL_BAD_FILE, "%s: is no safetensors file, or its header is above %d bytes", path,
                        (int)HL_SAFETENSORS_MAX_HEADER);
    }
    if (length > file->size - HL_SAFETENSORS_LENGTH_BYTES) {
        return hl_error(HL_BAD_FILE, "%s: ends within its header", path);
    }
    file->payload = HL_SAFETENSORS_LENGTH_BYTES + (size_t)length;
    HL_TRY(hl_json_parse(path, file->content + HL_SAFETENSORS_LENGTH_BYTES, (size_t)length, &file->header));
    if (!json_is_object(file->header)) {
        return hl_error(HL_BAD_FILE, "%s: its header is no JSON object", path);
    }
    return hl_ok();
}

static hl_status check_metadata(hl_safetensors *file, const char *path)
{
    file->metadata = json_object_get(file->header, "__metadata__");
    if (file->metadata != NULL && !json_is_object(file->metadata)) {
        return hl_error(HL_BAD_FILE, "%s: its __metadata__ is no object", path);
    }
    const char *key;
    json_t *value;
    json_object_foreach(file->metadata, key, value)
    {
        if (!json_is_string(value)) {
            return hl_error(HL_BAD_FILE, "%s: its __metadata__ \"%s\" is no string", path, key);
        }
    }
    const char *writer = hl_safetensors_metadata(file, "writer");
    if (!file->has_checksum && writer != NULL && strcmp(writer, HL_SAFETENSORS_WRITER) == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: says that it was written by " HL_SAFETENSORS_WRITER
                        " but its checksum is not in place: it is damaged, "
                        "or another program wrote it anew and kept \"writer\"",
                        path);
    }
    return hl_ok();
}

static hl_status entry_error(const char *path, const entry *tensor, const char *what)
{
    return hl_error(HL_BAD_FILE, "%s: tensor \"%s\": %s", path, tensor->name, what);
}

/* The whole number at index i of an array, if it is one and not negative; else -1. */
static int64_t size_at(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -1;
}

static hl_status read_dtype(const json_t *value, const char *path, entry *tensor)
{
    const char *dtype = json_string_value(value);
    if (dtype == NULL) {
        return entry_error(path, tensor, "has no dtype");
    }
    tensor->element = strcmp(dtype, "F32") == 0 ? sizeof(float) : strcmp(dtype, "F64") == 0 ? sizeof(double) : 0;
    if (tensor->element == 0) {
        return hl_error(HL_BAD_FILE, "%s: tensor \"%s\": its dtype is %s; only F32 and F64 can be read", path,
                        tensor->name, dtype);
    }
    return hl_ok();
}

static hl_status read_shape(const json_t *value, const char *path, entry *tensor)
{
    if (!json_is_array(value)) {
        return entry_error(path, tensor, "has no shape");
    }
    if (json_array_size(value) > HL_MAX_DIMS) {
        return hl_error(HL_BAD_FILE, "%s: tensor \"%s\": has %zu dimensions; at most %d can be read", path,
                        tensor->name, json_array_size(value), (int)HL_MAX_DIMS);
    }
    tensor->shape.n_dims = (int)json_array_size(value);
    for (int i = 0; i < tensor->shape.n_dims; i++) {
        tensor->shape.size[i] = size_at(value, (size_t)i);
        if (tensor->shape.size[i] < 0) {
            return entry_error(path, tensor, "its shape holds what is no size");
        }
    }
    return hl_ok();
}

static hl_status read_range(const json_t *value, const char *path, entry *tensor)
{
    if (json_array_size(value) != 2 || size_at(value, 0) < 0 || size_at(value, 1) < size_at(value, 0)) {
        return entry_error(path, tensor, "its data_offsets are no range");
    }
    tensor->begin = size_at(value, 0);
    tensor->end = size_at(value, 1);
    int64_t count = hl_shape_count(tensor->shape);
    size_t bytes;
    if (count < 0 || !hl_multiply_sizes((size_t)count, tensor->element, &bytes) ||
        bytes != (uint64_t)(tensor->end - tensor->begin)) {
        return entry_error(path, tensor, "the size of its data does not match its shape");
    }
    return hl_ok();
}

static hl_status read_entry(const json_t *value, const char *path, entry *tensor)
{
    if (!json_is_object(value)) {
        return entry_error(path, tensor, "its entry is no object");
    }
    HL_TRY(read_dtype(json_object_get(value, "dtype"), path, tensor));
    HL_TRY(read_shape(json_object_get(value, "shape"), path, tensor));
    HL_TRY(read_range(json_object_get(value, "data_offsets"), path, tensor));
    if (json_object_size(value) != 3) {
        return entry_error(path, tensor, "its entry holds more than dtype, shape and data_offsets");
    }
    return hl_ok();
}

static hl_status read_entries(hl_safetensors *file, const char *path)
{
    file->entries = hl_calloc(json_object_size(file->header), sizeof *file->entries);
    if (file->entries == NULL) {
        return hl_error(HL_NO_MEMORY, "out of memory: reading %s", path);
    }
    const char *key;
    json_t *value;
    json_object_foreach(file->header, key, value)
    {
        if (value != file->metadata) {
            entry *tensor = &file->entries[file->n_entries++];
            tensor->name = key;
            HL_TRY(read_entry(value, path, tensor));
        }
    }
    return hl_ok();
}

/* By place; empty tensors, which may share one, by name. */
static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end < y->end ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static hl_status check_ranges(const hl_safetensors *file, const char *path)
{
    qsort(file->entries, (size_t)file->n_entries, sizeof *file->entries, compare_entries);
    int64_t end = 0;
    for (int i = 0; i < file->n_entries; i++) {
        if (file->entries[i].begin != end) {
            return entry_error(path, &file->entries[i], "its data does not begin where the data before it ends");
        }
        end = file->entries[i].end;
    }
    if ((uint64_t)end != file->size - file->payload) {
        return hl_error(HL_BAD_FILE, "%s: holds %zu bytes of data, but its tensors take %" PRId64, path,
                        file->size - file->payload, end);
    }
    return hl_ok();
}

/* All but the checksum; of the content only the header is looked at. */
static hl_status check_header(hl_safetensors *file, const char *path)
{
    file->has_checksum = checksum_in_place(file);
    HL_TRY(parse_header(file, path));
    HL_TRY(check_metadata(file, path));
    HL_TRY(read_entries(file, path));
    return check_ranges(file, path);
}

/* Large files */

/* Smaller ones are read at once: what is wrong with them is then told by their checksum. */
static const size_t large = (size_t)64 << 20;

/* Whether the header accounts for the size of the whole file, of which `file` holds the beginning. */
static hl_status check_size(hl_safetensors *file, const char *path, size_t size)
{
    const size_t most = HL_SAFETENSORS_LENGTH_BYTES + HL_SAFETENSORS_MAX_HEADER;
    file->content = hl_malloc(most);
    if (file->content == NULL) {
        return hl_error_memory(path);
    }
    HL_TRY(hl_file_read_begin(path, file->content, most)); /* less than a large file holds */
    file->size = size;
    return check_header(file, path);
}

/* Memory for a large file is taken only where it is what it says it is. */
static hl_status check_if_large(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (size_t)info.st_size <= large) {
        return hl_ok(); /* reading it tells what is wrong */
    }
    hl_safetensors *begin = hl_calloc(1, sizeof *begin);
    if (begin == NULL) {
        return hl_error_memory(path);
    }
    hl_status status = check_size(begin, path, (size_t)info.st_size);
    hl_safetensors_free(begin);
    return status;
}

static hl_status read_and_check(hl_safetensors *file, const char *path, size_t limit)
{
    HL_TRY(check_if_large(path));
    HL_TRY(hl_file_read(path, limit, &file->content, &file->size));
    if (checksum_in_place(file)) {
        HL_TRY(verify_checksum(file, path));
    }
    return check_header(file, path);
}

hl_status hl_safetensors_read(const char *path, size_t limit, hl_safetensors **file)
{
    *file = NULL;
    hl_safetensors *read = hl_calloc(1, sizeof *read);
    if (read == NULL) {
        return hl_error(HL_NO_MEMORY, "out of memory: reading %s", path);
    }
    hl_status status = read_and_check(read, path, limit);
    if (status.code != HL_OK) {
        hl_safetensors_free(read);
        return status;
    }
    *file = read;
    return hl_ok();
}

void hl_safetensors_free(hl_safetensors *file)
{
    if (file != NULL) {
        json_decref(file->header);
        hl_free(file->entries);
        hl_free(file->content);
        hl_free(file);
    }
}

/* Access */

bool hl_safetensors_has_checksum(const hl_safetensors *file)
{
    return file->has_checksum;
}

int hl_safetensors_count(const hl_safetensors *file)
{
    return file->n_entries;
}

const char *hl_safetensors_name(const hl_safetensors *file, int i)
{
    return file->entries[i].name;
}

hl_shape hl_safetensors_shape(const hl_safetensors *file, int i)
{
    return file->entries[i].shape;
}

int hl_safetensors_find(const hl_safetensors *file, const char *name)
{
    for (int i = 0; i < file->n_entries; i++) {
        if (strcmp(file->entries[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void hl_safetensors_copy(const hl_safetensors *file, int i, hl_real *data)
{
    const entry *tensor = &file->entries[i];
    const char *from = file->content + file->payload + tensor->begin;
    size_t bytes = (size_t)(tensor->end - tensor->begin);
    if (tensor->element == sizeof(hl_real)) {
        memcpy(data, from, bytes);
        return;
    }
    for (size_t k = 0; k < bytes / tensor->element; k++) {
        float single; /* the data may stand at any address: copied, never pointed at */
        double wide;
        if (tensor->element == sizeof single) {
            memcpy(&single, from + k * sizeof single, sizeof single);
            data[k] = single;
        } else {
            memcpy(&wide, from + k * sizeof wide, sizeof wide);
            data[k] = (hl_real)wide;
        }
    }
}

const char *hl_safetensors_metadata(const hl_safetensors *file, const char *key)
{
    return json_string_value(json_object_get(file->metadata, key));
}
