/* src/live/wire/buffer.c - see buffer.h. */
#include "live/wire/buffer.h"
#include "base/err.h"

#include <grpc/byte_buffer_reader.h>
#include <string.h>

grpc_byte_buffer *buffer_from(const void *bytes, size_t length)
{
    grpc_slice        slice = grpc_slice_from_copied_buffer(bytes, length);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);

    grpc_slice_unref(slice);
    return buffer;
}

unsigned char *buffer_bytes(grpc_byte_buffer *buffer, size_t *length)
{
    grpc_byte_buffer_reader reader;
    grpc_slice              slice;
    unsigned char          *bytes;

    *length = 0;
    if (!grpc_byte_buffer_reader_init(&reader, buffer))
        return xcalloc(1, 1);
    slice = grpc_byte_buffer_reader_readall(&reader);
    *length = GRPC_SLICE_LENGTH(slice);
    bytes = xmalloc(*length + 1);
    memcpy(bytes, GRPC_SLICE_START_PTR(slice), *length);
    grpc_slice_unref(slice);
    grpc_byte_buffer_reader_destroy(&reader);
    return bytes;
}
