/* tests/fuzz/fuzz_stores.c - any file as the store of a campaign is read, or rejected with a reason.
 */
#include "base/json.h"
#include "study/campaign/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];

static void put(const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
}

static void clean(void)
{
    static const char *const ends[] = { "", "-journal", "-wal", "-shm" };
    char                     name[100];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

static void ignore_value(void *arg, const char *key, double value)
{
    (void)arg, (void)key, (void)value;
}

static void try_campaign(void)
{
    struct campaign *c;
    struct err       err = { "" };
    json_t          *o = NULL;

    if (campaign_peek(path, &o, &err) == 0)
        json_decref(o);
    else if (!*err.text)
        abort();
    if (campaign_open(&c, path, &err)) {
        if (c || !*err.text)
            abort();
        return;
    }
    campaign_each_value(c, "goodput", ignore_value, NULL, &err);
    campaign_has(c, "0", true, &err);
    if (campaign_page(c, "0", &o, &err) == 0)
        json_decref(o);
    campaign_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*path)
        snprintf(path, sizeof path, "%s/anole-fuzz-store-%d", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
                 (int)getpid());
    put(data, size);
    try_campaign();
    clean();
    return 0;
}
