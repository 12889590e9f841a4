/* tests/fuzz/fuzz_rdma_stat.c - for any bytes as the kernel's answer: a bound counter set names its owner,
 * and names are terminated.
 */
#include "live/driver/qp_flows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void visit(void *arg, const struct rdma_stat *s)
{
    (void)arg;
    PROMISE(s->qps || !s->qpn);
    PROMISE(s->has_bytes || !s->tx_bytes);
}

static void device(void *arg, uint32_t index, const char *name)
{
    (void)arg;
    (void)index;
    PROMISE(*name && strnlen(name, 64) < 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PROMISE(rdma_stat_read(data, size, 0, visit, NULL) <= 1);
    PROMISE(rdma_stat_read_devices(data, size, 0, device, NULL) <= 1);
    return 0;
}
