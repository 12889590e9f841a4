/* src/live/daemon/disk.c - see disk.h. */
#include "live/daemon/disk.h"
#include "base/file/outfile.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOG_BYTES_MAX (1ul << 31)
#define PATH_SIZE     600

static void path_of(const struct disk *d, const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", d->folder, name);
}

/* ---- opening ---- */

static int make_folder(const char *folder, struct err *err)
{
    char path[512];

    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) && errno != EEXIST)
            return err_set(err, errno, "%s: %s", path, strerror(errno));
        *slash = '/';
    }
    return mkdir(path, 0700) && errno != EEXIST ? err_set(err, errno, "%s: %s", path, strerror(errno)) : 0;
}

static int take_lock(struct disk *d, struct err *err)
{
    char path[PATH_SIZE];

    path_of(d, "lock", path);
    d->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (d->lock_fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    if (flock(d->lock_fd, LOCK_EX | LOCK_NB))
        return err_set(err, EBUSY, "%s: another process uses this folder", d->folder);
    return 0;
}

static int resume_log(struct disk *d, struct audit *audit, struct err *err)
{
    char       path[PATH_SIZE], *text = NULL;
    size_t     length = 0;
    struct err why;
    long       good;

    path_of(d, "audit.jsonl", path);
    d->log_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (d->log_fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    if (text_read_file(path, LOG_BYTES_MAX, &text, &length, err))
        return -EIO;
    good = audit_resume(audit, text, length, &why);
    free(text);
    if (good < 0)
        return err_set(err, EBADMSG, "%s: %s; keep it and begin another", path, why.text);
    if ((size_t)good < length && ftruncate(d->log_fd, good))
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    return 0;
}

int disk_open(struct disk *d, const char *folder, struct audit *audit, struct err *err)
{
    int rc = make_folder(folder, err);

    *d = (struct disk){ .lock_fd = -1, .log_fd = -1 };
    snprintf(d->folder, sizeof d->folder, "%s", folder);
    if (!rc)
        rc = take_lock(d, err);
    if (!rc)
        rc = resume_log(d, audit, err);
    if (rc)
        disk_close(d);
    return rc;
}

void disk_close(struct disk *d)
{
    if (d->log_fd >= 0)
        close(d->log_fd);
    if (d->lock_fd >= 0)
        close(d->lock_fd);
    d->log_fd = d->lock_fd = -1;
}

/* ---- hooks ---- */

static int save(void *arg, const char *name, const char *text, size_t length)
{
    struct err why;
    char       path[PATH_SIZE];

    path_of(arg, name, path);
    return outfile_write(path, text, length, &why);
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    char    path[PATH_SIZE];
    int     fd;
    ssize_t length;

    path_of(arg, name, path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    length = read(fd, text, size);
    close(fd);
    return length < 0 ? -EIO : length == (ssize_t)size ? -EFBIG : length;
}

/* Either all of it is on the disk or the file is as it was. */
static int append(void *arg, const char *text, size_t length)
{
    struct disk *d = arg;
    off_t        before = lseek(d->log_fd, 0, SEEK_END);

    if (before < 0)
        return -errno;
    if (write(d->log_fd, text, length) == (ssize_t)length && fdatasync(d->log_fd) == 0)
        return 0;
    if (ftruncate(d->log_fd, before))
        return -EIO;
    return -ENOSPC;
}

static uint64_t wall_us(void *arg)
{
    struct timespec t;

    (void)arg;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

struct io_disk disk_io(struct disk *d)
{
    return (struct io_disk){ save, load, append, wall_us, d };
}
