#include "core/files/private/safetensors_header.h"

#include "core/base/memory.h"
#include "core/files/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The position of the parser in the header's text. */
typedef struct cursor {
    hl_safetensors *file;
    char *text;
    size_t size, at;
} cursor;

static hl_status not_json(const cursor *c, const char *what)
{
    return hl_error(HL_BAD_FILE, "%s: not valid JSON: %s at byte %zu of its header", c->file->path, what, c->at);
}

/* ---- JSON ---- */

/* The next character that is not white space; '\0' at the end. */
static char next(cursor *c)
{
    while (c->at < c->size && strchr(" \t\n\r", c->text[c->at]) != NULL && c->text[c->at] != '\0') {
        c->at++;
    }
    return c->text[c->at];
}

static bool take(cursor *c, char expected)
{
    if (next(c) != expected || c->at == c->size) {
        return false;
    }
    c->at++;
    return true;
}

/* Whether the text between the quotes is unescaped. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] < ' ' || text[i] > '~' || text[i] == '\\') {
            return false;
        }
    }
    return true;
}

/* Replaces the quoted text by its meaning, which is never longer. */
static hl_status decode(const cursor *c, char *quoted, size_t size)
{
    json_t *value;
    hl_status status = hl_json_parse(c->file->path, quoted, size, &value);
    if (status.code != HL_OK) {
        return status.code == HL_BAD_FILE ? not_json(c, "a text that is wrong") : status;
    }
    memcpy(quoted + 1, json_string_value(value), json_string_length(value) + 1); /* without zero bytes: jansson refuses
                                                                                    them */
    json_decref(value);
    return hl_ok();
}

/* Reads a string, and ends it with a zero byte. */
static hl_status take_string(cursor *c, const char **string)
{
    if (!take(c, '"')) {
        return not_json(c, "no text");
    }
    size_t begin = c->at, end = begin;
    while (end < c->size && c->text[end] != '"') {
        end += c->text[end] == '\\' ? 2 : 1;
    }
    if (end >= c->size) {
        return not_json(c, "a text without an end");
    }
    if (is_plain(c->text + begin, end - begin)) {
        c->text[end] = '\0';
    } else {
        HL_TRY(decode(c, c->text + begin - 1, end - begin + 2));
    }
    c->at = end + 1;
    *string = c->text + begin;
    return hl_ok();
}

/* Reads a value of an object, whose key came before it. */
typedef hl_status take_value(cursor *c, const char *key, void *context);

/* Reads the pairs of an object, and its end. */
static hl_status take_pairs(cursor *c, take_value *take_one, void *context)
{
    for (bool first = true; !take(c, '}'); first = false) {
        const char *key;
        if (!first && !take(c, ',')) {
            return not_json(c, "neither ',' nor '}'");
        }
        HL_TRY(take_string(c, &key));
        HL_TRY(take(c, ':') ? hl_ok() : not_json(c, "no ':'"));
        HL_TRY(take_one(c, key, context));
    }
    return hl_ok();
}

/* ---- one tensor ---- */

static hl_status entry_error(const cursor *c, const hl_safetensors_entry *tensor, const char *what)
{
    return hl_error(HL_BAD_FILE, "%s: tensor \"%s\": %s", c->file->path, tensor->name, what);
}

/* Reads a whole number that is not negative and fits. */
static bool take_size(cursor *c, int64_t *size)
{
    next(c);
    size_t begin = c->at;
    bool good = true;
    *size = 0;
    while (c->text[c->at] >= '0' && c->text[c->at] <= '9') {
        int64_t digit = c->text[c->at++] - '0';
        good = good && !__builtin_mul_overflow(*size, 10, size) && !__builtin_add_overflow(*size, digit, size);
    }
    return good && c->at > begin && (c->text[begin] != '0' || c->at == begin + 1);
}

/* Reads the rest of an array of at most `most` sizes. False if it holds anything else, or more. */
static bool take_sizes(cursor *c, int most, int64_t *sizes, int *n)
{
    for (*n = 0; !take(c, ']'); ++*n) {
        if (*n == most || (*n > 0 && !take(c, ',')) || !take_size(c, &sizes[*n])) {
            return false;
        }
    }
    return true;
}

static hl_status take_dtype(cursor *c, hl_safetensors_entry *tensor)
{
    if (next(c) != '"') {
        return entry_error(c, tensor, "has no dtype");
    }
    const char *dtype;
    HL_TRY(take_string(c, &dtype));
    tensor->type = hl_safetensors_type_find(dtype);
    return tensor->type != NULL ? hl_ok()
                                : hl_error(HL_BAD_FILE, "%s: tensor \"%s\": its dtype %s is none of the format's",
                                           c->file->path, tensor->name, dtype);
}

static hl_status take_shape(cursor *c, hl_safetensors_entry *tensor)
{
    if (!take(c, '[')) {
        return entry_error(c, tensor, "has no shape");
    }
    if (take_sizes(c, HL_MAX_DIMS, tensor->shape.size, &tensor->shape.n_dims)) {
        return hl_ok();
    }
    int64_t further;
    bool has_more = tensor->shape.n_dims == HL_MAX_DIMS && take(c, ',') && take_size(c, &further);
    return !has_more ? entry_error(c, tensor, "its shape holds what is no size")
                     : hl_error(HL_BAD_FILE, "%s: tensor \"%s\": has more than %d dimensions; at most %d can be read",
                                c->file->path, tensor->name, HL_MAX_DIMS, HL_MAX_DIMS);
}

static hl_status take_range(cursor *c, hl_safetensors_entry *tensor)
{
    int64_t range[2];
    int n;
    if (!take(c, '[') || !take_sizes(c, 2, range, &n) || n != 2 || range[1] < range[0]) {
        return entry_error(c, tensor, "its data_offsets are no range");
    }
    tensor->begin = range[0];
    tensor->end = range[1];
    return hl_ok();
}

/* A tensor's entry as it is read. */
typedef struct entry {
    hl_safetensors_entry tensor;
    bool has[3]; /* dtype, shape, data_offsets */
} entry;

static hl_status check_entry(const cursor *c, const entry *e)
{
    static const char *const missing[3] = { "has no dtype", "has no shape", "its data_offsets are no range" };
    for (int i = 0; i < 3; i++) {
        if (!e->has[i]) {
            return entry_error(c, &e->tensor, missing[i]);
        }
    }
    int64_t count = hl_shape_count(e->tensor.shape);
    size_t bits;
    if (count < 0 || !hl_multiply_sizes((size_t)count, e->tensor.type->bits, &bits) || bits % 8 != 0 ||
        bits / 8 != (uint64_t)(e->tensor.end - e->tensor.begin)) {
        return entry_error(c, &e->tensor, "the size of its data does not match its shape");
    }
    return hl_ok();
}

static hl_status take_field(cursor *c, const char *key, void *context)
{
    static const char *const keys[3] = { "dtype", "shape", "data_offsets" };
    static hl_status (*const fields[3])(cursor *, hl_safetensors_entry *) = { take_dtype, take_shape, take_range };
    entry *e = context;
    int i = 0;
    while (i < 3 && strcmp(key, keys[i]) != 0) {
        i++;
    }
    if (i == 3 || e->has[i]) {
        return entry_error(c, &e->tensor, "its entry holds more than dtype, shape and data_offsets, once each");
    }
    e->has[i] = true;
    return fields[i](c, &e->tensor);
}

/* ---- all of it ---- */

/* Returns the list of n elements with room for one more; its capacity is a power of two. NULL when out of memory. */
static void *grown(void *list, int n, size_t element)
{
    bool full = (n & (n - 1)) == 0;
    return full ? hl_realloc(list, n > 0 ? 2 * (size_t)n : 1, element) : list;
}

static hl_status take_tensor(cursor *c, const char *name)
{
    hl_safetensors *file = c->file;
    entry e = { .tensor.name = name };
    if (!take(c, '{')) {
        return entry_error(c, &e.tensor, "its entry is no object");
    }
    HL_TRY(take_pairs(c, take_field, &e));
    HL_TRY(check_entry(c, &e));
    hl_safetensors_entry *entries = grown(file->entries, file->n_entries, sizeof *entries);
    HL_NEED(entries != NULL, file->path);
    file->entries = entries;
    entries[file->n_entries++] = e.tensor;
    return hl_ok();
}

static hl_status take_item(cursor *c, const char *key, void *context)
{
    (void)context;
    hl_safetensors *file = c->file;
    const char *value;
    if (next(c) != '"') {
        return hl_error(HL_BAD_FILE, "%s: its __metadata__ \"%s\" is no string", file->path, key);
    }
    HL_TRY(take_string(c, &value));
    hl_metadata_item *metadata = grown(file->metadata, file->n_metadata, sizeof *metadata);
    HL_NEED(metadata != NULL, file->path);
    file->metadata = metadata;
    metadata[file->n_metadata++] = (hl_metadata_item){ key, value };
    return hl_ok();
}

static hl_status take_member(cursor *c, const char *key, void *context)
{
    bool *has_metadata = context;
    if (strcmp(key, "__metadata__") != 0) {
        return take_tensor(c, key);
    }
    if (*has_metadata) {
        return not_json(c, "a duplicate \"__metadata__\"");
    }
    *has_metadata = true;
    return take(c, '{') ? take_pairs(c, take_item, NULL)
                        : hl_error(HL_BAD_FILE, "%s: its __metadata__ is no object", c->file->path);
}

static hl_status take_all(cursor *c)
{
    bool has_metadata = false;
    if (next(c) == '\0') {
        return not_json(c, "nothing");
    }
    if (!take(c, '{')) {
        return hl_error(HL_BAD_FILE, "%s: its header is no JSON object", c->file->path);
    }
    HL_TRY(take_pairs(c, take_member, &has_metadata));
    next(c);
    return c->at == c->size ? hl_ok() : not_json(c, "more than one object");
}

/* By position in the file. Empty tensors, which may have the same position, are ordered by name. */
static int compare_places(const void *a, const void *b)
{
    const hl_safetensors_entry *x = a, *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end < y->end ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static hl_status check_ranges(const cursor *c)
{
    const hl_safetensors *file = c->file;
    size_t payload = file->size - file->payload;
    int64_t end = 0;
    for (int i = 0; i < file->n_entries; i++) {
        if (file->entries[i].begin != end) {
            return entry_error(c, &file->entries[i], "its data does not begin where the data before it ends");
        }
        end = file->entries[i].end;
    }
    if ((uint64_t)end != payload) {
        return hl_error(HL_BAD_FILE, "%s: holds %zu bytes of data, but its tensors take %" PRId64, c->file->path,
                        payload, end);
    }
    return hl_ok();
}

static int compare_names(const void *a, const void *b)
{
    const hl_safetensors_entry *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int compare_keys(const void *a, const void *b)
{
    const hl_metadata_item *x = a, *y = b;
    return strcmp(x->key, y->key);
}

/* Sorts entries and metadata, and refuses duplicates. */
static hl_status order(const cursor *c)
{
    hl_safetensors *file = c->file;
    size_t n = (size_t)file->n_entries;
    file->by_name = hl_calloc(n, sizeof(const hl_safetensors_entry *));
    HL_NEED(file->by_name != NULL, file->path);
    for (size_t i = 0; i < n; i++) {
        file->by_name[i] = &file->entries[i];
    }
    if (n > 0) {
        qsort(file->entries, n, sizeof *file->entries, compare_places);
        qsort(file->by_name, n, sizeof *file->by_name, compare_names);
    }
    for (size_t i = 1; i < n; i++) {
        if (compare_names(&file->by_name[i - 1], &file->by_name[i]) == 0) {
            return entry_error(c, file->by_name[i], "a duplicate");
        }
    }
    if (file->n_metadata > 0) {
        qsort(file->metadata, (size_t)file->n_metadata, sizeof *file->metadata, compare_keys);
    }
    for (int i = 1; i < file->n_metadata; i++) {
        if (compare_keys(&file->metadata[i - 1], &file->metadata[i]) == 0) {
            return hl_error(HL_BAD_FILE, "%s: its __metadata__ \"%s\": a duplicate", c->file->path,
                            file->metadata[i].key);
        }
    }
    return hl_ok();
}

hl_status hl_safetensors_header_parse(hl_safetensors *file)
{
    cursor c = { .file = file, .text = file->text, .size = file->payload - HL_SAFETENSORS_LENGTH_BYTES };
    HL_TRY(take_all(&c));
    HL_TRY(order(&c));
    return check_ranges(&c);
}

int hl_safetensors_find(const hl_safetensors *file, const char *name)
{
    const hl_safetensors_entry wanted = { .name = name }, *key = &wanted;
    const hl_safetensors_entry **found = file->n_entries > 0 ? bsearch(&key, file->by_name, (size_t)file->n_entries,
                                                                       sizeof *file->by_name, compare_names)
                                                             : NULL;
    return found != NULL ? (int)(*found - file->entries) : -1;
}

const char *hl_safetensors_metadata(const hl_safetensors *file, const char *key)
{
    const hl_metadata_item wanted = { .key = key }, *found = NULL;
    if (file->n_metadata > 0) {
        found = bsearch(&wanted, file->metadata, (size_t)file->n_metadata, sizeof wanted, compare_keys);
    }
    return found != NULL ? found->value : NULL;
}
