#include "live/daemon/disk.h"
#include "base/file/scratch.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_SIZE 600
#define TAIL_SIZE (2 * AUDIT_LINE_SIZE)          /* holds the last whole line of a log */

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

/* ---- the files of a log ---- */

static void path_of_log(const char *folder, uint32_t number, char path[PATH_SIZE])
{
    if (number)
        snprintf(path, PATH_SIZE, "%s/audit.%u.jsonl", folder, number);
    else
        snprintf(path, PATH_SIZE, "%s/" DISK_LOG, folder);
}

/* N of the first and last audit.N.jsonl; 0: none. */
static void find_logs(const char *folder, uint32_t *first, uint32_t *last)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;

    *first = *last = 0;
    while (dir && (entry = readdir(dir))) {
        unsigned number;
        int      used = 0;

        if (sscanf(entry->d_name, "audit.%9u.jsonl%n", &number, &used) != 1 || !used ||
            entry->d_name[used] || !number)
            continue;
        *first = !*first || number < *first ? number : *first;
        *last = number > *last ? number : *last;
    }
    if (dir)
        closedir(dir);
}

static int open_log(struct disk *d)
{
    char path[PATH_SIZE];

    path_of_log(d->folder, 0, path);
    d->log_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return d->log_fd < 0 ? -errno : 0;
}

/* The end of a log says where it goes on, however long it is. Returns how much of the file is good; -EBADMSG: its
 * last line is damaged. */
static off_t read_tail(int fd, struct audit *audit, off_t *size)
{
    static char text[TAIL_SIZE];

    *size = lseek(fd, 0, SEEK_END);
    off_t   from = *size > TAIL_SIZE ? *size - TAIL_SIZE : 0;
    ssize_t length = pread(fd, text, sizeof text, from);
    if (*size < 0 || length < 0)
        return -errno;
    long good = audit_resume_tail(audit, text, (size_t)length);
    return good < 0 ? -EBADMSG : from + good;
}

/* After a kill during a rotation the log is empty, and the file before it says where it goes on. */
static int resume_from_last(const struct disk *d, struct audit *audit)
{
    char  path[PATH_SIZE];
    off_t size;

    path_of_log(d->folder, d->logs, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    off_t good = read_tail(fd, audit, &size);
    close(fd);
    return good < 0 ? (int)good : good < size ? -EBADMSG : 0;
}

static int resume_log(struct disk *d, struct audit *audit)
{
    int      rc = open_log(d);
    off_t    size = 0, good = rc ? rc : read_tail(d->log_fd, audit, &size);
    uint32_t first;

    find_logs(d->folder, &first, &d->logs);
    if (!good && d->logs)
        good = resume_from_last(d, audit);
    d->is_log_damaged = good == -EBADMSG;
    if (good < 0)
        return d->is_log_damaged ? 0 : (int)good;
    return good < size && ftruncate(d->log_fd, good) ? -errno : 0;
}

int disk_open(struct disk *d, const char *folder, struct audit *audit, struct err *err)
{
    *d = (struct disk){ .lock_fd = -1, .log_fd = -1, .log_bytes_max = DISK_LOG_BYTES };
    snprintf(d->folder, sizeof d->folder, "%s", folder);
    audit_init(audit);
    int rc = make_folder(folder, err);
    rc = rc ? rc : take_lock(d, err);
    if (!rc && (rc = resume_log(d, audit)) != 0)
        err_set(err, -rc, "%s/" DISK_LOG ": %s", folder, strerror(-rc));
    if (rc)
        disk_close(d);
    return rc;
}

static void set_aside(void *arg, const char *name)
{
    const struct disk *d = arg;
    char               from[PATH_SIZE], to[PATH_SIZE];

    path_of(d, name, from);
    snprintf(to, sizeof to, "%.580s.damaged", from);
    rename(from, to);
}

bool disk_mend_log(struct disk *d, struct audit *audit, struct err *why)
{
    struct audit whole = { .is_part = true };
    uint64_t     line = 0;
    char         path[PATH_SIZE];
    const char  *wrong = NULL;

    if (d->log_fd < 0)
        return false;
    path_of_log(d->folder, 0, path);
    FILE *file = fopen(path, "re");
    if (file && lseek(d->log_fd, 0, SEEK_END) <= d->log_bytes_max)
        wrong = audit_check_file(&whole, file, &line);
    if (file)
        fclose(file);
    if (!wrong && !d->is_log_damaged)
        return false;
    err_set(why, EBADMSG, "%s:%" PRIu64 ":1: %s; it is now " DISK_LOG ".damaged", path, wrong ? line : 1,
            wrong ? wrong : "the last line of this long log is damaged");
    set_aside(d, DISK_LOG);
    close(d->log_fd);
    d->is_log_damaged = open_log(d) != 0;
    if (!audit->seq)
        audit_init(audit);
    return true;
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
    const struct disk *d = arg;
    char               path[PATH_SIZE], new[PATH_SIZE];

    path_of(d, name, path);
    snprintf(new, sizeof new, "%.590s.new", path);
    int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    bool is_good = write(fd, text, length) == (ssize_t)length && fsync(fd) == 0;
    is_good &= close(fd) == 0;
    if (!is_good || rename(new, path)) {
        unlink(new);
        return -EIO;
    }
    scratch_sync_folder(d->folder);
    return 0;
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    char path[PATH_SIZE];

    path_of(arg, name, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t length = read(fd, text, size);
    close(fd);
    return length < 0 ? -EIO : length == (ssize_t)size ? -EFBIG : length;
}

/* What cannot be done now is tried with the next line. */
static void rotate(struct disk *d)
{
    char path[PATH_SIZE], to[PATH_SIZE];
    int  before = d->log_fd;

    path_of_log(d->folder, 0, path);
    path_of_log(d->folder, d->logs + 1, to);
    if (rename(path, to))
        return;
    if (open_log(d)) {
        rename(to, path);
        d->log_fd = before;
        return;
    }
    d->logs++;
    close(before);
    scratch_sync_folder(d->folder);
}

/* Either all of it is on the disk or the file is as it was. */
static int append(void *arg, const char *text, size_t length)
{
    struct disk *d = arg;
    off_t        before = lseek(d->log_fd, 0, SEEK_END);

    if (before < 0 || d->is_log_damaged)
        return before < 0 ? -errno : -EBADMSG;
    if (before && before + (off_t)length > d->log_bytes_max) {
        rotate(d);
        before = lseek(d->log_fd, 0, SEEK_END);
    }
    if (write(d->log_fd, text, length) == (ssize_t)length && fdatasync(d->log_fd) == 0)
        return 0;
    if (ftruncate(d->log_fd, before))
        return -EIO;
    return -ENOSPC;
}

/* Lines of one file. */
static uint64_t replay_file(const char *path, void (*line)(void *, const char *, size_t), void *ctx)
{
    FILE    *file = fopen(path, "re");
    char    *text = xmalloc(AUDIT_LINE_SIZE);
    uint64_t count = 0;
    bool     is_in_line = false;

    while (file && fgets(text, AUDIT_LINE_SIZE, file)) {
        size_t length = strlen(text);
        bool   is_end = length && text[length - 1] == '\n';

        line(ctx, text, is_end && !is_in_line ? length - 1 : 0);
        is_in_line = !is_end;
        count++;
    }
    if (file)
        fclose(file);
    free(text);
    return count;
}

static uint64_t replay(void *arg, void (*line)(void *, const char *, size_t), void *ctx)
{
    const struct disk *d = arg;
    uint64_t           count = 0;
    uint32_t           first, last;
    char               path[PATH_SIZE];

    find_logs(d->folder, &first, &last);
    for (uint32_t i = first; i && i <= last; i++) {
        path_of_log(d->folder, i, path);
        count += replay_file(path, line, ctx);
    }
    path_of_log(d->folder, 0, path);
    return count + replay_file(path, line, ctx);
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
    return (struct io_disk){ .save = save, .load = load, .append = append, .wall_us = wall_us, .arg = d,
                             .set_aside = set_aside, .replay = replay };
}

/* ---- checking ---- */

static int verify_file(const char *path, struct audit *a, uint64_t *records, struct err *err)
{
    FILE    *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    uint64_t line = 0;

    if (!file)
        return err_set(err, errno, "%s: %s", text_file_name(path), strerror(errno));
    const char *wrong = audit_check_file(a, file, &line);
    if (file != stdin)
        fclose(file);
    *records += line;
    return wrong ? err_set(err, EBADMSG, "%s:%" PRIu64 ":1: %s", text_file_name(path), line, wrong) : 0;
}

int disk_verify(const char *path, struct audit *a, uint64_t *records, struct err *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char        folder[PATH_SIZE] = ".", file[PATH_SIZE + 1];
    uint32_t    first = 0, last = 0;
    unsigned    number;
    int         rc = 0;

    audit_init(a);
    *records = 0;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (strcmp(name, DISK_LOG) == 0)
        find_logs(folder, &first, &last);
    snprintf(file, sizeof file, "%s.damaged", path);
    a->is_part = first ? first > 1 : access(file, F_OK) == 0 ||
                 (sscanf(name, "audit.%9u.jsonl", &number) == 1 && number > 1);
    for (uint32_t i = first; i && i <= last && !rc; i++) {
        path_of_log(folder, i, file);
        rc = verify_file(file, a, records, err);
    }
    return rc ? rc : verify_file(path, a, records, err);
}
