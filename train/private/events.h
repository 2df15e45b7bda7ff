/* The bytes of TensorBoard's event files.
 *
 *     hl_text values = { 0 }, file = { 0 };
 *     hl_event_record(&file, seconds, 0, NULL);      // what a file begins with
 *     hl_event_scalar(&values, "loss/train", 0.25);
 *     hl_event_record(&file, seconds, 100, &values); // all values of step 100 as one event
 *
 * A file is records, an event each: the length of the event (8 bytes, little-endian as all), the masked CRC-32C of
 * these, the event, its masked CRC-32C. An event is a protocol buffer, of which few fields are needed. HL_NO_MEMORY is
 * left on the texts. */
#ifndef HL_TRAIN_PRIVATE_EVENTS_H
#define HL_TRAIN_PRIVATE_EVENTS_H

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli's polynomial, RFC 3720), which is not zlib's. */
uint32_t hl_crc32c(const void *bytes, size_t count);

/* Adds an event of so many seconds since 1970 and of a step of at least 0, with values made by the functions below;
 * NULL: the event that a file begins with, the number of its format. */
void hl_event_record(hl_text *file, double seconds, int64_t step, const hl_text *values);

/* Add a value: a number, which TensorBoard keeps as a float; the content of a PNG file; a text in Markdown. */
void hl_event_scalar(hl_text *values, const char *tag, double number);
void hl_event_image(hl_text *values, const char *tag, const hl_text *png);
void hl_event_markdown(hl_text *values, const char *tag, const hl_text *markdown);

/* Adds a setting of the run, its value spelled as in a config: a number or a truth value becomes one, all else stays a
 * text. hl_event_settings adds them as the value that makes a run a row of the table of hyperparameters. */
void hl_event_setting(hl_text *settings, const char *name, const char *value);
void hl_event_settings(hl_text *values, const hl_text *settings);

/* The size of the record that `bytes` begin with, and the step of its event; 0 where they begin with no whole record as
 * hl_event_record makes them, or with a damaged one. */
size_t hl_event_read(const char *bytes, size_t size, int64_t *step);

#endif
