#include "train/private/events.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8, CRC = 4, HEAD = LENGTH + CRC, FRAME = HEAD + CRC }; /* bytes of a record */

uint32_t hl_crc32c(const void *bytes, size_t count)
{
    static const uint32_t of_four_bits[] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
        0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const unsigned char *byte = bytes;
    uint32_t crc = ~0U;
    for (size_t i = 0; i < count; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ of_four_bits[crc & 15];
        crc = crc >> 4 ^ of_four_bits[crc & 15];
    }
    return ~crc;
}

/* The CRC of bytes that contain their own CRC checks little, so records rotate it and add a number. */
static uint32_t masked_crc(const void *bytes, size_t count)
{
    uint32_t crc = hl_crc32c(bytes, count);
    return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

/* ---- protocol buffers: a field is its number and kind, then what it holds ---- */

typedef enum field_kind { VARINT = 0, EIGHT_BYTES = 1, BYTES = 2, FOUR_BYTES = 5 } field_kind;

static void add_fixed(hl_text *text, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        hl_text_add(text, &(unsigned char){ (unsigned char)(bits >> 8 * i) }, 1);
    }
}

static uint64_t read_fixed(const char *at, int bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < bytes; i++) {
        bits |= (uint64_t)(unsigned char)at[i] << 8 * i;
    }
    return bits;
}

static void add_varint(hl_text *text, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        add_fixed(text, (number & 0x7f) | 0x80, 1);
    }
    add_fixed(text, number, 1);
}

static void add_key(hl_text *text, int field, field_kind kind)
{
    add_varint(text, (uint64_t)(field << 3 | (int)kind));
}

static void add_integer(hl_text *text, int field, uint64_t number)
{
    add_key(text, field, VARINT);
    add_varint(text, number);
}

static void add_double(hl_text *text, int field, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_key(text, field, EIGHT_BYTES);
    add_fixed(text, bits, sizeof bits);
}

static void add_bytes(hl_text *text, int field, const void *bytes, size_t size)
{
    add_key(text, field, BYTES);
    add_varint(text, size);
    hl_text_add(text, bytes, size);
}

static void add_text(hl_text *text, int field, const hl_text *bytes)
{
    hl_text_fail(text, bytes->error);
    add_bytes(text, field, bytes->bytes, bytes->size);
}

static void add_string(hl_text *text, int field, const char *string)
{
    add_bytes(text, field, string, strlen(string));
}

/* The same for a message that was made for this field, and that is freed. */
static void add_message(hl_text *text, int field, hl_text *message)
{
    add_text(text, field, message);
    hl_text_free(message);
}

/* ---- values ---- */

enum { TAG = 1, NUMBER = 2, IMAGE = 4, TENSOR = 8, METADATA = 9, VALUE = 1 }; /* the fields in a value; its own */

void hl_event_scalar(hl_text *values, const char *tag, double number)
{
    hl_text value = { 0 };
    float rounded = (float)number;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    add_string(&value, TAG, tag);
    add_key(&value, NUMBER, FOUR_BYTES);
    add_fixed(&value, bits, sizeof bits);
    add_message(values, VALUE, &value);
}

void hl_event_image(hl_text *values, const char *tag, const hl_text *png)
{
    enum { WIDTH_AT = 16, HEIGHT_AT = 20, SIZES = 24, RGB = 3 };
    hl_text value = { 0 }, image = { 0 };
    if (png->size >= SIZES) { /* they are big-endian there */
        add_integer(&image, 1, __builtin_bswap32((uint32_t)read_fixed(png->bytes + HEIGHT_AT, 4)));
        add_integer(&image, 2, __builtin_bswap32((uint32_t)read_fixed(png->bytes + WIDTH_AT, 4)));
    }
    add_integer(&image, 3, RGB);
    add_text(&image, 4, png);
    add_string(&value, TAG, tag);
    add_message(&value, IMAGE, &image);
    add_message(values, VALUE, &value);
}

/* Adds a value for one part of TensorBoard: bytes that tell that part what it is, and a tensor, which is freed. */
static void add_value_for(hl_text *values, const char *tag, const char *part, const hl_text *content, hl_text *tensor)
{
    hl_text value = { 0 }, metadata = { 0 }, of_part = { 0 };
    add_string(&of_part, 1, part);
    add_text(&of_part, 2, content);
    add_message(&metadata, 1, &of_part);
    add_string(&value, TAG, tag);
    add_message(&value, METADATA, &metadata);
    add_message(&value, TENSOR, tensor);
    add_message(values, VALUE, &value);
}

void hl_event_markdown(hl_text *values, const char *tag, const hl_text *markdown)
{
    enum { STRING = 7 };
    hl_text tensor = { 0 };
    add_integer(&tensor, 1, STRING);
    add_string(&tensor, 2, ""); /* its shape: without dimensions */
    add_text(&tensor, 8, markdown);
    add_value_for(values, tag, "text", &(hl_text){ 0 }, &tensor);
}

void hl_event_setting(hl_text *settings, const char *name, const char *value)
{
    hl_text entry = { 0 }, held = { 0 };
    char *end;
    double number = strtod(value, &end);
    bool is_true = strcmp(value, "true") == 0, numeric = *value != '\0' && *end == '\0';
    if (numeric && value[strspn(value, "0123456789+-.e")] == '\0') {
        add_double(&held, 2, number);
    } else if (is_true || strcmp(value, "false") == 0) {
        add_integer(&held, 4, is_true);
    } else {
        add_string(&held, 3, value);
    }
    add_string(&entry, 1, name);
    add_message(&entry, 2, &held);
    add_message(settings, 1, &entry);
}

void hl_event_settings(hl_text *values, const hl_text *settings)
{
    enum { FLOAT = 1, SESSION_START = 3 };
    hl_text content = { 0 }, tensor = { 0 };
    add_text(&content, SESSION_START, settings);
    add_integer(&tensor, 1, FLOAT);
    add_text(&tensor, 2, &(hl_text){ .bytes = (char[]){ 2 << 3 | BYTES, 0 }, .size = 2 }); /* its shape: (0) */
    add_value_for(values, "_hparams_/session_start_info", "hparams", &content, &tensor);
    hl_text_free(&content);
}

/* ---- records ---- */

void hl_event_record(hl_text *file, double seconds, int64_t step, const hl_text *values)
{
    hl_text event = { 0 };
    add_double(&event, 1, seconds);
    add_integer(&event, 2, (uint64_t)step);
    if (values != NULL) {
        add_text(&event, 5, values);
    } else {
        add_string(&event, 3, "brain.Event:2");
    }
    hl_text_fail(file, event.error);
    add_fixed(file, event.size, LENGTH);
    if (file->error.code == HL_OK) {
        add_fixed(file, masked_crc(file->bytes + file->size - LENGTH, LENGTH), CRC);
    }
    hl_text_add(file, event.bytes, event.size);
    add_fixed(file, masked_crc(event.bytes, event.size), CRC);
    hl_text_free(&event);
}

size_t hl_event_read(const char *bytes, size_t size, int64_t *step)
{
    enum { STEP_AT = 9, MOST_DIGITS = 9 }; /* the step follows the time; 9 digits of 7 bits hold any number >= 0 */
    if (size < FRAME || read_fixed(bytes + LENGTH, CRC) != masked_crc(bytes, LENGTH)) {
        return 0;
    }
    uint64_t length = read_fixed(bytes, LENGTH), number = 0;
    const char *event = bytes + HEAD;
    if (length <= STEP_AT || length > size - FRAME || read_fixed(event + length, CRC) != masked_crc(event, length) ||
        event[0] != (1 << 3 | EIGHT_BYTES) || event[STEP_AT] != (2 << 3 | VARINT)) {
        return 0;
    }
    for (size_t i = 0; i < MOST_DIGITS && STEP_AT + 1 + i < length; i++) {
        char digit = event[STEP_AT + 1 + i];
        number |= (uint64_t)(digit & 0x7f) << 7 * i;
        if ((digit & 0x80) == 0) {
            *step = (int64_t)number;
            return (size_t)length + FRAME;
        }
    }
    return 0;
}
