/* src/live/wire/buffer.h - bytes as gRPC wants them, and back. */
#ifndef LIVE_WIRE_BUFFER_H
#define LIVE_WIRE_BUFFER_H

#include <grpc/grpc.h>
#include <stddef.h>

/* To be destroyed. The bytes are copied. */
grpc_byte_buffer *buffer_from(const void *bytes, size_t length);

/* Malloc'd. */
unsigned char *buffer_bytes(grpc_byte_buffer *, size_t *length);

#endif
