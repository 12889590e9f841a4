/* tests/fuzz/fuzz_identity.c - any file as authority, certificate and key at once: accepted, or a reason why
 * not. */
#include "live/wire/tls/secure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int     fd = -1;
    static char    path[32];
    struct secure *s;
    struct err     err = { "" };

    if (fd < 0) {
        fd = memfd_create("identity", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    if (secure_open(&s, &(struct rpc_tls){ .ca = path, .cert = path, .key = path }, false, &err) == 0)
        secure_free(s);
    else if (!*err.text)
        abort();
    return 0;
}
