/* src/base/file/outfile.c */
#include "base/file/outfile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 4

static _Atomic(const char *) open_temps[FILES_MAX];

static int enter(const char *temp)
{
    for (int i = 0; i < FILES_MAX; i++) {
        const char *none = NULL;

        if (atomic_compare_exchange_strong(&open_temps[i], &none, temp))
            return 0;
    }
    return -EMFILE;
}

static void leave(const char *temp)
{
    for (int i = 0; i < FILES_MAX; i++) {
        const char *expected = temp;

        atomic_compare_exchange_strong(&open_temps[i], &expected, NULL);
    }
}

static int check_target(const char *path, struct err *err)
{
    struct stat s;

    if (stat(path, &s))
        return errno == ENOENT ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return err_set(err, EINVAL, "%s: exists and is not a regular file", path);
    return 0;
}

/* mkstemp() makes a file for us alone; results get the rights that any new file gets. */
static FILE *open_temp(char *temp)
{
    int fd = mkstemp(temp);
    mode_t mask = umask(0);

    umask(mask);
    if (fd < 0)
        return NULL;
    if (fchmod(fd, 0666 & ~mask)) {
        close(fd);
        return NULL;
    }
    return fdopen(fd, "w");
}

static void release(struct outfile *f)
{
    free(f->target);
    free(f->temp);
    memset(f, 0, sizeof(*f));
}

int outfile_open(struct outfile *f, const char *path, struct err *err)
{
    int rc = check_target(path, err);
    size_t room;

    memset(f, 0, sizeof(*f));
    if (rc)
        return rc;
    f->shown = path;
    f->target = realpath(path, NULL);        /* through links, so that they stay */
    if (!f->target)
        f->target = xstrdup(path);
    room = strlen(f->target) + sizeof(".XXXXXX");
    f->temp = xmalloc(room);
    snprintf(f->temp, room, "%s.XXXXXX", f->target);
    rc = enter(f->temp);
    if (!rc) {
        f->stream = open_temp(f->temp);
        rc = f->stream ? 0 : -errno;
    }
    if (rc) {
        err_set(err, -rc, "%s: %s", path, strerror(-rc));
        outfile_abort(f);
    }
    return rc;
}

int outfile_close(struct outfile *f, struct err *err)
{
    int failed, code;

    if (!f->stream)
        return 0;
    errno = 0;
    failed = ferror(f->stream);
    failed |= fclose(f->stream);
    code = errno ? errno : EIO;
    f->stream = NULL;
    return failed ? err_set(err, code, "%s: could not be written: %s", f->shown, strerror(code)) : 0;
}

int outfile_commit(struct outfile *f, struct err *err)
{
    int rc = 0;

    if (!f->temp)
        return 0;
    if (rename(f->temp, f->target)) {
        rc = err_set(err, errno, "%s: %s", f->shown, strerror(errno));
        outfile_abort(f);
        return rc;
    }
    leave(f->temp);
    release(f);
    return 0;
}

int outfile_write(const char *path, const void *bytes, size_t length, struct err *err)
{
    struct outfile f;
    int rc = outfile_open(&f, path, err);

    if (rc)
        return rc;
    if (fwrite(bytes, 1, length, f.stream) != length || fflush(f.stream) || fsync(fileno(f.stream)))
        rc = err_set(err, errno, "%s: could not be written: %s", path, strerror(errno));
    if (!rc)
        rc = outfile_close(&f, err);
    if (!rc)
        rc = outfile_commit(&f, err);
    outfile_abort(&f);
    return rc;
}

void outfile_abort(struct outfile *f)
{
    if (!f->temp)
        return;
    unlink(f->temp);
    leave(f->temp);
    if (f->stream)
        fclose(f->stream);
    release(f);
}

void outfile_abort_all_on_signal(void)
{
    int saved = errno;

    for (int i = 0; i < FILES_MAX; i++) {
        const char *temp = atomic_exchange(&open_temps[i], NULL);

        if (temp)
            unlink(temp);
    }
    errno = saved;
}
