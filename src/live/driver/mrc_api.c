#include "live/driver/mrc_api.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool mrc_gid_parse(struct mrc_gid *g, const char *text)
{
    char mapped[64];

    snprintf(mapped, sizeof mapped, strchr(text, ':') ? "%.50s" : "::ffff:%.50s", text);
    return inet_pton(AF_INET6, mapped, g->byte) == 1;
}

/* ISO C has no conversion of a data pointer to a function pointer; POSIX has dlsym(). */
static int find(const struct mrc_api *a, const char *name, void *function, const char *file, struct err *err)
{
    void *symbol = dlsym(a->library, name);

    if (!symbol && a->verbs)
        symbol = dlsym(a->verbs, name);
    if (!symbol)
        return err_set(err, ENOSYS, "driver mrc: %s has no function %s: it is not a library for MRC 1.0.1 or "
                       "later", file, name);
    memcpy(function, &symbol, sizeof symbol);
    return 0;
}

/* Versions with the same first number are compatible. */
static int check_version(const struct mrc_api *a, const char *file, struct err *err)
{
    uint32_t now = 0, oldest = 0, vendor = 0, vendor_oldest = 0;

    a->get_version(&now, &oldest, &vendor, &vendor_oldest);
    if (now >> 24 != MRC_VERSION >> 24 || now < MRC_VERSION || oldest > MRC_VERSION)
        return err_set(err, ENOSYS, "driver mrc: %s is version %u.%u.%u of MRC's controller interface; "
                       "1.0.1 or a later 1.x is needed", file, now >> 24, now >> 16 & 255, now & 65535);
    return 0;
}

int mrc_api_open(struct mrc_api *out, const char *file, struct err *err)
{
    struct mrc_api a = { .library = dlopen(file, RTLD_NOW | RTLD_LOCAL) };
    const char    *why = a.library ? NULL : dlerror();
    int            rc = 0;

    if (!a.library)
        return err_set(err, ENOENT, "driver mrc: the NIC vendor's library for MRC cannot be loaded: %s; "
                       "install it, or name it with 'mrc: {library: FILE}'", why ? why : file);
    if (!dlsym(a.library, "ibv_open_device"))
        a.verbs = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
#define FIND(symbol, name, result, arguments) rc = rc ? rc : find(&a, #symbol, &a.name, file, err);
    MRC_FUNCTIONS(FIND)
#undef FIND
    rc = rc ? rc : check_version(&a, file, err);
    if (rc)
        mrc_api_close(&a);
    else
        *out = a;
    return rc;
}

void mrc_api_close(struct mrc_api *a)
{
    if (a->verbs)
        dlclose(a->verbs);
    if (a->library)
        dlclose(a->library);
    *a = (struct mrc_api){ 0 };
}
