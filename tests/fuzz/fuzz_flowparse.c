/* tests/fuzz/fuzz_flowparse.c - sFlow, NetFlow 9 and IPFIX without the collector's tables; datagrams as in
 * fuzz_datagram.c. */
#include "live/flows/flow_record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(void *sum, const struct flow_record *r)
{
    *(uint64_t *)sum += r->bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ipfix x;
    uint64_t            sum = 0, unknown = 0;

    memset(&x, 0, sizeof x);
    while (size >= 2) {
        size_t   length = (size_t)data[0] << 8 | data[1];
        uint8_t *copy;

        data += 2;
        size -= 2;
        length = length < size ? length : size;
        copy = malloc(length ? length : 1);      /* exact size, so that a read beyond the end is detected */
        memcpy(copy, data, length);
        sflow_read(copy, length, add, &sum);
        ipfix_read(&x, 1, copy, length, add, &sum, &unknown);
        free(copy);
        data += length;
        size -= length;
    }
    return 0;
}
