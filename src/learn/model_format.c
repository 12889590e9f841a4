/* src/learn/model_format.c - see model_format.h. */
#include "learn/model_format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool model_is_word(const char *text, size_t length)
{
    size_t good = 0;

    while (good < length && text[good] && strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", text[good]))
        good++;
    return good == length && length > 0;
}

bool model_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

/* Castagnoli's polynomial, bit by bit: a model is small. */
uint32_t model_crc(const unsigned char *bytes, size_t length)
{
    uint32_t crc = ~0u;

    while (length--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

int model_check_finite(const struct net *n, const char *name, struct err *err)
{
    for (uint32_t i = 0; i < n->parameters; i++)
        if (!isfinite(n->parameter[i]))
            return err_set(err, EINVAL, "%s: parameter %u of the net is not a finite number", name, i);
    return 0;
}

/* mkstemp() makes a file for us alone; a model gets the rights that any new file gets. */
static int write_temp(char *temp, const char *bytes, size_t length)
{
    int fd = mkstemp(temp), failed;
    mode_t mask = umask(0);
    FILE *f;

    umask(mask);
    if (fd < 0)
        return -errno;
    f = fdopen(fd, "w");
    if (!f)
        die("no memory for a file");
    failed = fchmod(fd, 0666 & ~mask) || fwrite(bytes, 1, length, f) != length || fflush(f) || fsync(fd);
    failed = failed ? errno : 0;
    if (fclose(f) && !failed)
        failed = errno;
    if (failed)
        unlink(temp);
    return -failed;
}

/* Under another name beside it first, so that there is never half a file. */
int model_write_file(const char *path, const char *bytes, size_t length, struct err *err)
{
    char *real = realpath(path, NULL);       /* through links, so that they stay */
    const char *target = real ? real : path;
    size_t room = strlen(target) + sizeof(".XXXXXX");
    char *temp = xmalloc(room);
    struct stat there;
    int rc;

    snprintf(temp, room, "%s.XXXXXX", target);
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        rc = err_set(err, EINVAL, "%s: exists and is not a regular file", path);
    else {
        rc = write_temp(temp, bytes, length);
        if (!rc && rename(temp, target)) {
            rc = -errno;
            unlink(temp);
        }
        if (rc)
            err_write(err, "%s: %s", path, strerror(-rc));
    }
    free(temp);
    free(real);
    return rc;
}
