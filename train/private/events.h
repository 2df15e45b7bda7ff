/* The bytes of TensorBoard's event files.
 *
 *     hl_text values = { 0 }, file = { 0 };
 *     hl_event_record(&file, seconds, 0, NULL);      // the beginning of every file
 *     hl_event_scalar(&values, "loss/train", 0.25);
 *     hl_event_record(&file, seconds, 100, &values); // all values of step 100 as one event
 *
 * A file consists of records, one per event: the event's length (8 bytes, little-endian like everything else), the
 * masked CRC-32C of the length, the event, its masked CRC-32C. An event is a protocol buffer, of which only a few
 * fields are needed. HL_NO_MEMORY is left on the texts. */
#pragma once

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli's polynomial, RFC 3720), which differs from zlib's CRC-32. */
uint32_t hl_crc32c(const void *bytes, size_t count);

/* Adds an event at `seconds` since 1970 and at a step of at least 0, with values made by the functions below. With
 * `values` NULL, adds the event that begins a file, with the number of its format. */
void hl_event_record(hl_text *file, double seconds, int64_t step, const hl_text *values);

/* Add a value: a number, which TensorBoard keeps as a float; the content of a PNG file; a text in Markdown. */
void hl_event_scalar(hl_text *values, const char *tag, double number);
void hl_event_image(hl_text *values, const char *tag, const hl_text *png);
void hl_event_markdown(hl_text *values, const char *tag, const hl_text *markdown);

/* Adds a setting of the run, with its value spelled as in a config. A number or a truth value keeps its type; anything
 * else is a text. hl_event_settings adds the settings as the value that makes a run a row in the table of
 * hyperparameters. */
void hl_event_setting(hl_text *settings, const char *name, const char *value);
void hl_event_settings(hl_text *values, const hl_text *settings);

/* The size of the record at the beginning of `bytes`, and the step of its event. Returns 0 if they do not begin with a
 * whole record as hl_event_record makes it, or if the record is damaged. */
size_t hl_event_read(const char *bytes, size_t size, int64_t *step);
