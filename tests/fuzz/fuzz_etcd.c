/* tests/fuzz/fuzz_etcd.c - for any answer of etcd or an impostor, results are complete and names are
 * printable.
 */
#include "live/daemon/lease/lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char       *text = (const char *)data;
    struct etcd_taken t = { .revision = 77 };
    uint64_t          id = 5, ttl_s = 6;

    if (etcd_read_grant(text, size, &id, &ttl_s))
        PROMISE(id == 5 && ttl_s == 6);
    else
        PROMISE(id && ttl_s);
    (void)etcd_read_keep(text, size, &ttl_s);
    if (etcd_read_take(text, size, 9, &t))
        PROMISE(t.revision == 77 && !t.is_ours);
    else
        PROMISE(t.revision);
    PROMISE(strnlen(t.holder, sizeof t.holder) < sizeof t.holder);
    for (const char *c = t.holder; *c; c++)
        PROMISE(*c >= ' ' && *c <= '~');
    return 0;
}
