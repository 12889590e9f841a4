/* src/live/driver/plain.c - an example: NICs that are folders, <root>/plain/<device>, with a file per knob,
 * named as the knob, and the counter sent_bytes. */
#include "live/driver/driver.h"
#include "base/io/clock.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plain {
    char     folder[512];
    uint64_t sent, sampled_us;   /* the last reading; sampled_us 0: none yet */
};

static int find(const struct driver *driver, const char *root, char name[][MSG_NAME_SIZE], struct err *err)
{
    char           path[512];
    struct dirent *e;
    int            count = 0;

    (void)driver;
    snprintf(path, sizeof path, "%s/plain", root);
    DIR *d = opendir(path);
    if (!d)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    while ((e = readdir(d)) && count < DRIVER_DEVICES_MAX)
        if (e->d_name[0] != '.' && strlen(e->d_name) < MSG_NAME_SIZE / 2)
            snprintf(name[count++], MSG_NAME_SIZE, "%.31s", e->d_name);
    closedir(d);
    return count;
}

static int open_device(const struct driver *driver, void **state, const char *root, const char *name,
                       struct err *err)
{
    struct plain *p = xcalloc(1, sizeof *p);

    (void)driver;
    snprintf(p->folder, sizeof p->folder, "%s/plain/%s", root, name);
    *state = access(p->folder, F_OK) == 0 ? p : NULL;
    if (*state)
        return 0;
    free(p);
    return err_set(err, ENODEV, "%s: there is no such device", name);
}

static void close_device(void *state)
{
    free(state);
}

/* -ENOENT: the device has no such file. */
static int read_file(const struct plain *p, const char *name, double *value)
{
    char       path[600], text[64];
    struct err err;

    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    int rc = driver_read_text(path, text, sizeof text);
    return rc ? rc : text_to_real(text, value, &err) ? -EIO : 0;
}

/* What it cannot read is not there: the agent then leaves that knob alone. */
static int read_knobs(void *state, struct knob_set *set)
{
    double value;
    int    rc = 0;

    *set = (struct knob_set){ 0 };
    for (enum knob k = 0; k < KNOB_COUNT && !rc; k++)
        if ((rc = read_file(state, knob_info[k].name, &value)) == 0)
            knob_set_add(set, k, value);
        else if (rc == -ENOENT)
            rc = 0;
    return rc;
}

/* One write() per value; the agent reads them back. */
static int write_knobs(void *state, const struct knob_set *set)
{
    const struct plain *p = state;
    char                path[600];
    int                 rc = 0;

    for (enum knob k = 0; k < KNOB_COUNT && !rc; k++)
        if (set->is_named[k]) {
            snprintf(path, sizeof path, "%s/%s", p->folder, knob_info[k].name);
            int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
            if (fd < 0 || dprintf(fd, "%.10g\n", set->knobs.value[k]) < 0)
                rc = -errno;
            if (fd >= 0)
                close(fd);
        }
    return rc;
}

/* Differences since the last call; what it does not count is unknown, never 0. */
static int sample(void *state, struct msg_sample *s)
{
    struct plain *p = state;
    uint64_t      at_us = clock_us();
    double        sent = 0;
    int           rc = read_file(p, "sent_bytes", &sent);
    bool          is_first = !p->sampled_us;

    *s = (struct msg_sample){ .interval_us = at_us - p->sampled_us, .paused = NAN, .metric = NAN,
                              .unknown = MSG_UNKNOWN_ALL & ~(rc ? 0 : MSG_UNKNOWN(tx_bytes)),
                              .tx_bytes = rc ? 0 : (uint64_t)sent - p->sent };
    p->sampled_us = at_us;
    p->sent = rc ? 0 : (uint64_t)sent;
    s->metric = msg_metric(s);
    return is_first || rc ? -EAGAIN : 0;
}

const struct driver driver_plain = {
    .find = find, .open = open_device, .close = close_device, .read = read_knobs, .write = write_knobs,
    .sample = sample, .name = "plain", .about = "an example: folders of files", .where = KNOB_NIC,
};
