/* src/learn/model_format.h - details of the file format, shared by writer and reader. */
#ifndef LEARN_MODEL_FORMAT_H
#define LEARN_MODEL_FORMAT_H

#include "base/err.h"
#include "learn/net.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MAGIC        "ANOLENN"
#define MODEL_MAGIC_BYTES  7
#define MODEL_HEADER_BYTES (MODEL_MAGIC_BYTES + 1 + 4)
#define MODEL_CRC_BYTES    4

/* CRC-32C. */
uint32_t model_crc(const unsigned char *bytes, size_t length);

/* True if not empty and made of a-z, 0-9, '_' and '-'. */
bool model_is_word(const char *text, size_t length);
bool model_is_control(char);

/* Refuses parameters that are not finite. */
int model_check_finite(const struct net *, const char *name, struct err *);

#endif
