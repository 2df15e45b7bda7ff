#include "core/files/safetensors.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/private/safetensors_format.h"
#include "core/files/private/safetensors_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- header ---- */

/* The digits of the checksum in the text of a header written here; NULL in other headers. */
static const char *checksum_digits(const char *text, size_t length)
{
    static const char prefix[] = HL_SAFETENSORS_CHECKSUM_PREFIX;
    if (length <= sizeof prefix - 1 + HL_SAFETENSORS_CHECKSUM_DIGITS || memcmp(text, prefix, sizeof prefix - 1) != 0) {
        return NULL;
    }
    const char *digits = text + sizeof prefix - 1;
    bool good = strspn(digits, "0123456789abcdef") >= HL_SAFETENSORS_CHECKSUM_DIGITS &&
                digits[HL_SAFETENSORS_CHECKSUM_DIGITS] == '"';
    return good ? digits : NULL;
}

static void take_checksum(hl_safetensors *file, uint64_t length)
{
    const char *digits = checksum_digits(file->text, (size_t)length);
    if (digits == NULL) {
        return;
    }
    file->has_checksum = true;
    memcpy(file->checksum, digits, HL_SAFETENSORS_CHECKSUM_DIGITS);
    const char *after = digits + HL_SAFETENSORS_CHECKSUM_DIGITS;
    uLong crc = crc32_z(0, (const Bytef *)&length, HL_SAFETENSORS_LENGTH_BYTES);
    crc = crc32_z(crc, (const Bytef *)file->text, (size_t)(digits - file->text));
    crc = crc32_z(crc, (const Bytef *)HL_SAFETENSORS_CHECKSUM_ZEROS, HL_SAFETENSORS_CHECKSUM_DIGITS);
    file->crc = crc32_z(crc, (const Bytef *)after, (size_t)length - (size_t)(after - file->text));
}

static hl_status read_text(hl_safetensors *file)
{
    uint64_t length;
    if (file->size < HL_SAFETENSORS_LENGTH_BYTES) {
        return hl_error(HL_BAD_FILE, "%s: is no safetensors file: it has only %zu bytes", file->path, file->size);
    }
    HL_TRY(hl_file_read_bytes(file->fd, file->path, &length, HL_SAFETENSORS_LENGTH_BYTES));
    if (length > HL_SAFETENSORS_MAX_HEADER) {
        return hl_error(HL_BAD_FILE, "%s: is not a safetensors file, or its header is longer than %d bytes", file->path,
                        (int)HL_SAFETENSORS_MAX_HEADER);
    }
    if (length > file->size - HL_SAFETENSORS_LENGTH_BYTES) {
        return hl_error(HL_BAD_FILE, "%s: ends within its header", file->path);
    }
    file->payload = HL_SAFETENSORS_LENGTH_BYTES + (size_t)length;
    file->text = hl_malloc((size_t)length + 1);
    HL_NEED(file->text != NULL, file->path);
    file->text[length] = '\0';
    HL_TRY(hl_file_read_bytes(file->fd, file->path, file->text, (size_t)length));
    take_checksum(file, length);
    return hl_ok();
}

static hl_status check_writer(const hl_safetensors *file)
{
    const char *writer = hl_safetensors_metadata(file, "writer");
    if (file->has_checksum || writer == NULL || strcmp(writer, HL_SAFETENSORS_WRITER) != 0) {
        return hl_ok();
    }
    return hl_error(HL_BAD_FILE,
                    "%s: says that it was written by " HL_SAFETENSORS_WRITER
                    " but its checksum is not in place: it is damaged, "
                    "or another program wrote it anew and kept \"writer\"",
                    file->path);
}

static hl_status open_and_check(hl_safetensors *file, const char *path)
{
    file->path = hl_strdup(path);
    HL_NEED(file->path != NULL, path);
    HL_TRY(hl_file_open_to_read(path, SIZE_MAX, &file->fd, &file->size));
    HL_TRY(read_text(file));
    HL_TRY(hl_safetensors_header_parse(file));
    return check_writer(file);
}

hl_status hl_safetensors_open(const char *path, hl_safetensors **file)
{
    *file = NULL;
    hl_safetensors *opened = hl_calloc(1, sizeof *opened);
    HL_NEED(opened != NULL, path);
    opened->fd = -1;
    hl_status status = open_and_check(opened, path);
    if (status.code != HL_OK) {
        hl_safetensors_free(opened);
        return status;
    }
    *file = opened;
    return hl_ok();
}

void hl_safetensors_free(hl_safetensors *file)
{
    if (file == NULL) {
        return;
    }
    if (file->fd >= 0) {
        hl_file_calls_get()->close(file->fd);
    }
    hl_free(file->entries);
    hl_free(file->by_name);
    hl_free(file->metadata);
    hl_free(file->text);
    hl_free(file->path);
    hl_free(file);
}

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

bool hl_safetensors_can_read(const hl_safetensors *file, int i)
{
    return file->entries[i].type->number != NULL;
}

/* ---- data ---- */

static hl_status read_piece(hl_safetensors *file, void *bytes, size_t count, uLong *crc)
{
    HL_TRY(hl_file_read_bytes(file->fd, file->path, bytes, count));
    if (file->has_checksum) {
        *crc = crc32_z(*crc, bytes, count);
    }
    return hl_ok();
}

/* Converts `count` bytes of the piece, which begin `done` bytes into the tensor. */
static void put_piece(const hl_safetensors *file, const hl_safetensors_entry *tensor, size_t count, size_t done,
                      hl_safetensors_place *place)
{
    size_t element = tensor->type->bits / 8, first = done / element;
    size_t n = 1, m = SIZE_MAX; /* all numbers as one row, which is its own transpose */
    if (place->transposed) {
        n = (size_t)tensor->shape.size[0];
        m = (size_t)tensor->shape.size[1];
    }
    size_t row = first / m, column = first % m;
    for (size_t k = 0; k < count / element; k++) {
        hl_real number = tensor->type->number(file->piece + k * element);
        bool rest = place->rest != NULL && first + k >= place->first;
        hl_real *to = rest ? place->rest + (first + k - place->first) : place->data + column * n + row;
        if (++column == m) {
            column = 0;
            row++;
        }
        if (!place->compares) {
            *to = number;
        } else if (memcmp(&number, to, sizeof number) != 0) {
            place->differs = true;
        }
    }
}

static hl_status read_tensor(hl_safetensors *file, const hl_safetensors_entry *tensor, hl_safetensors_place *place,
                             uLong *crc)
{
    size_t size = (size_t)(tensor->end - tensor->begin), count;
    if (place->data == NULL && !file->has_checksum) {
        return hl_file_calls_get()->lseek(file->fd, (off_t)size, SEEK_CUR) < 0
                   ? hl_file_system_error(file->path, "cannot read")
                   : hl_ok();
    }
    bool at_once = place->data != NULL && place->first == 0 && !place->transposed && !place->compares &&
                   strcmp(tensor->type->name, HL_SAFETENSORS_DTYPE) == 0;
    bool part = place->first > 0 && place->rest == NULL;
    size_t wanted = place->data == NULL ? 0 : part ? place->first * (tensor->type->bits / 8) : size;
    for (size_t done = 0; done < size; done += count) {
        count = size - done < HL_SAFETENSORS_PIECE ? size - done : HL_SAFETENSORS_PIECE;
        HL_TRY(read_piece(file, at_once ? (char *)place->data + done : file->piece, count, crc));
        if (done < wanted && !at_once) {
            put_piece(file, tensor, count < wanted - done ? count : wanted - done, done, place);
        }
    }
    return hl_ok();
}

/* Checks that every requested tensor can be read as requested. */
static hl_status check_places(const hl_safetensors *file, const hl_safetensors_place *places)
{
    for (int i = 0; i < file->n_entries; i++) {
        const hl_safetensors_entry *tensor = &file->entries[i];
        if (places[i].data != NULL && tensor->type->number == NULL) {
            return hl_error(HL_BAD_FILE, "%s: tensor \"%s\": its dtype is %s; only F32, F64, F16 and BF16 can be read",
                            file->path, tensor->name, tensor->type->name);
        }
        if (places[i].data != NULL && places[i].transposed && tensor->shape.n_dims != 2) {
            return hl_error(HL_BAD_FILE, "%s: tensor \"%s\": is no matrix, and is to be transposed", file->path,
                            tensor->name);
        }
    }
    return hl_ok();
}

static hl_status verify(const hl_safetensors *file, uLong crc)
{
    char digits[HL_SAFETENSORS_CHECKSUM_DIGITS + 1];
    snprintf(digits, sizeof digits, "%08" PRIx32, (uint32_t)crc);
    if (strcmp(digits, file->checksum) == 0) {
        return hl_ok();
    }
    return hl_error(HL_BAD_FILE, "%s: is damaged or was changed: its checksum should be %s and is %s", file->path,
                    file->checksum, digits);
}

hl_status hl_safetensors_read(hl_safetensors *file, hl_safetensors_place *places)
{
    if (places == NULL && !file->has_checksum) {
        return hl_ok();
    }
    if (places != NULL) {
        HL_TRY(check_places(file, places));
    }
    if (hl_file_calls_get()->lseek(file->fd, (off_t)file->payload, SEEK_SET) < 0) {
        return hl_file_system_error(file->path, "cannot read");
    }
    uLong crc = file->crc;
    for (int i = 0; i < file->n_entries; i++) {
        hl_safetensors_place nowhere = { 0 };
        HL_TRY(read_tensor(file, &file->entries[i], places != NULL ? &places[i] : &nowhere, &crc));
    }
    return file->has_checksum ? verify(file, crc) : hl_ok();
}
