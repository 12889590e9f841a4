/* tests/fuzz/fuzz_datagram.c - datagrams of switches, one after another, each preceded by its length in two
 * bytes. For any input, the collector stays consistent and within its memory.
 */
#include "live/flows/collector.h"

#include <stdio.h>
#include <stdlib.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t from[16] = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 };
    static struct collector c;
    struct fsd           fsd;
    uint64_t             flows = 0;

    collector_init(&c, 1000);
    collector_read(&c, 1, &fsd);
    while (size >= 2) {
        size_t  length = (size_t)data[0] << 8 | data[1];
        uint8_t *copy;

        data += 2;
        size -= 2;
        length = length < size ? length : size;
        copy = malloc(length ? length : 1);      /* exact size, so that a read beyond the end is detected */
        for (size_t i = 0; i < length; i++)
            copy[i] = data[i];
        collector_take(&c, from, copy, length);
        free(copy);
        data += length;
        size -= length;
    }
    PROMISE(c.used <= COLLECTOR_FLOWS_MAX && c.used <= c.counts.records);
    collector_read(&c, 2000, &fsd);
    for (int i = 0; i < FSD_BINS; i++)
        flows += fsd.bin[i];
    PROMISE(flows <= c.counts.records);
    collector_fini(&c);
    return 0;
}
