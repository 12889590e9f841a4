/* src/base/file/scratch.c
 *
 * An open scratch stands in open_dirs[] from before its folder is made. Whoever takes it out of there, by one atomic
 * exchange, owns it: the caller or the signal handler, never both. The handler may not allocate or read a folder, so
 * every file's path is at hand in a list that only grows.
 *
 * The marker is empty until it is locked. So a cleaner that gets the lock in between finds no name and leaves the
 * folder alone.
 */
#include "base/file/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRS_MAX   20
#define PREFIX     ".anole-"
#define RANDOM     "XXXXXX"
#define NAME_CHARS (sizeof(PREFIX RANDOM) - 1)
#define MARKER_MAX 65536                     /* of a leftover; ours are far smaller */

struct file {
    struct file *next;
    FILE        *stream;         /* NULL: not open */
    char        *shown;
    char         path[];
};

struct scratch {
    char                  *path;
    const char            *name;             /* the last part of path */
    _Atomic(struct file *) files;
    int                    marker;           /* -1: not open */
    bool                   is_locked;        /* and so far all files are named in it */
    bool                   is_taken;         /* out of open_dirs[] */
    pid_t                  owner;            /* a forked child does not remove its parent's folder */
};

static _Atomic(struct scratch *) open_dirs[DIRS_MAX];

static char *join(const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = xmalloc(bytes);

    snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

char *scratch_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = xstrdup(slash ? path : ".");

    if (slash)
        parent[slash == path ? 1 : slash - path] = '\0';
    return parent;
}

void scratch_sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* ---- the marker ---- */

static bool write_line(int fd, const char *text)
{
    char line[256];
    int length = snprintf(line, sizeof(line), "%s\n", text);

    return length > 0 && (size_t)length < sizeof(line) && write(fd, line, (size_t)length) == length;
}

/* Makes the marker and, once it is locked, writes the name of the folder. Where files cannot be locked it stays empty:
 * then nobody will clean up, and nobody will do so too early. */
static int make_marker(struct scratch *s, const char *path)
{
    s->marker = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (s->marker < 0)
        return -errno;
    s->is_locked = flock(s->marker, LOCK_EX) == 0 && write_line(s->marker, s->name);
    return 0;
}

static bool is_file_at(int folder, const char *name)
{
    struct stat found;

    return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode);
}

void scratch_condemn(const struct scratch *s, const char *old, const struct marker *m)
{
    char *path = join(old, SCRATCH_MARKER);
    int marker = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool is_good = marker >= 0 && ftruncate(marker, 0) == 0 && write_line(marker, s->name);

    for (uint32_t i = 0; i < m->names && is_good; i++)
        is_good = write_line(marker, m->name[i]);
    if (marker >= 0)
        close(marker);
    free(path);
}

/* ---- what dead owners have left ---- */

/* Whether nothing but the marker is in a folder. */
static bool is_bare(int at)
{
    int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    bool is_good = folder != NULL;

    while (is_good && (e = readdir(folder)))
        is_good = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || strcmp(e->d_name, SCRATCH_MARKER) == 0;
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    return is_good;
}

/* Removes the files that the marker names, if its first line is the name of the folder. 'text' is the marker, and is
 * cut up. A line that was not written to its end names nothing. */
static bool remove_named(int folder, const char *name, char *text)
{
    char *line = text, *end;

    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (line == text && strcmp(line, name) != 0)
            return false;
        if (line != text && !strchr(line, '/') && is_file_at(folder, line))
            unlinkat(folder, line, 0);
    }
    return line != text;
}

/* A folder of this user that calls itself ours, whose marker nobody holds. */
static void clean_one(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int marker = folder < 0 ? -1 : openat(folder, SCRATCH_MARKER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    struct stat found;
    ssize_t length = -1;

    if (marker >= 0 && fstat(marker, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
        flock(marker, LOCK_EX | LOCK_NB) == 0) {
        text = xmalloc(MARKER_MAX + 1);
        length = read(marker, text, MARKER_MAX);
    }
    if (length > 0) {
        text[length] = '\0';
        if (remove_named(folder, name, text) && is_bare(folder)) {
            unlinkat(folder, SCRATCH_MARKER, 0);
            unlinkat(parent, name, AT_REMOVEDIR);
        }
    }
    free(text);
    if (marker >= 0)
        close(marker);
    if (folder >= 0)
        close(folder);
}

static bool is_scratch_name(const char *name)
{
    return strlen(name) == NAME_CHARS && strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0;
}

static void clean(const char *parent)
{
    DIR *folder = opendir(parent);
    struct dirent *e;

    while (folder && (e = readdir(folder)))
        if (is_scratch_name(e->d_name))
            clean_one(dirfd(folder), e->d_name);
    if (folder)
        closedir(folder);
}

/* ---- from opening to the end ---- */

static int enter(struct scratch *s)
{
    for (int i = 0; i < DIRS_MAX; i++) {
        struct scratch *none = NULL;

        if (atomic_compare_exchange_strong(&open_dirs[i], &none, s))
            return 0;
    }
    return -EMFILE;
}

bool scratch_take(struct scratch *s)
{
    for (int i = 0; i < DIRS_MAX; i++) {
        struct scratch *expected = s;

        if (atomic_compare_exchange_strong(&open_dirs[i], &expected, NULL))
            s->is_taken = true;
    }
    return s->is_taken;
}

/* Async-signal-safe. The marker is the oldest of the list and so the last to go: should even this be cut short, the
 * next run goes on with it. */
static void remove_files(struct scratch *s)
{
    for (struct file *f = atomic_load(&s->files); f; f = f->next)
        unlink(f->path);
    rmdir(s->path);
}

static void free_scratch(struct scratch *s)
{
    for (struct file *f = atomic_load(&s->files), *next; f; f = next) {
        next = f->next;
        if (f->stream)
            fclose(f->stream);
        free(f->shown);
        free(f);
    }
    if (s->marker >= 0)
        close(s->marker);
    free(s->path);
    free(s);
}

/* Into the list before it exists: the signal handler must know it. */
static struct file *list_file(struct scratch *s, const char *name, const char *shown)
{
    size_t room = strlen(s->path) + strlen(name) + 2;
    struct file *f = xcalloc(1, sizeof(*f) + room);

    snprintf(f->path, room, "%s/%s", s->path, name);
    f->shown = xstrdup(shown);
    f->next = atomic_load(&s->files);
    atomic_store(&s->files, f);
    return f;
}

/* mkdtemp() makes a folder for us alone; results get the rights that any new folder gets. */
static int make_folder(struct scratch *s)
{
    mode_t mask;

    if (!mkdtemp(s->path))
        return -errno;
    mask = umask(0);
    umask(mask);
    return chmod(s->path, 0777 & ~mask) ? -errno : 0;
}

int scratch_open(struct scratch **out, const char *place)
{
    struct scratch *s = xcalloc(1, sizeof(*s));
    char *parent = scratch_parent(place);
    int rc;

    *out = NULL;
    s->path = join(parent, PREFIX RANDOM);
    s->name = strrchr(s->path, '/') + 1;
    s->marker = -1;
    s->owner = getpid();
    rc = enter(s);
    if (rc) {
        free_scratch(s);
        free(parent);
        return rc;
    }
    clean(parent);
    free(parent);
    rc = make_folder(s);
    if (!rc)
        rc = make_marker(s, list_file(s, SCRATCH_MARKER, s->name)->path);
    if (rc)
        scratch_remove(s);
    else
        *out = s;
    return rc;
}

const char *scratch_path(const struct scratch *s)
{
    return s->path;
}

FILE *scratch_file(struct scratch *s, const char *name, const char *shown)
{
    struct file *f = list_file(s, name, shown);

    /* Named before it is made, too. A name that cannot be noted is one that nobody will clean up. */
    if (s->is_locked)
        s->is_locked = write_line(s->marker, name);
    f->stream = fopen(f->path, "wxe");
    return f->stream;
}

/* Some file systems and devices cannot, and say so; then closing is all there is. */
static int sync_file(FILE *stream)
{
    return fsync(fileno(stream)) && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? -1 : 0;
}

static int close_file(struct file *f, struct err *err)
{
    int failed, code;

    errno = 0;
    failed = ferror(f->stream) || fflush(f->stream) || sync_file(f->stream);
    code = failed ? errno : 0;
    if (fclose(f->stream) && !failed) {
        failed = 1;
        code = errno;
    }
    f->stream = NULL;
    if (!failed)
        return 0;
    /* 0: an earlier write failed and its reason is gone */
    return err_set(err, code ? code : EIO, "%s: could not be written: %s", f->shown,
                   code ? strerror(code) : "a write failed; is the disk full?");
}

int scratch_close(struct scratch *s, struct err *err)
{
    int rc = 0;

    for (struct file *f = atomic_load(&s->files); f; f = f->next)
        if (f->stream) {
            int failed = close_file(f, rc ? NULL : err);

            rc = rc ? rc : failed;
        }
    scratch_sync_folder(s->path);
    return rc;
}

/* Names of files, in the order in which they were made: the list has the last first, and the marker at its end. */
static void write_names(int marker, const struct file *f)
{
    const char *name;

    if (!f)
        return;
    write_names(marker, f->next);
    name = strrchr(f->path, '/') + 1;
    if (strcmp(name, SCRATCH_MARKER) != 0)
        write_line(marker, name);
}

/* Should this be cut short, the first line is still the name of a folder that is not there any more, and the others are
 * the same. */
void scratch_leave(struct scratch *s, const char *kind)
{
    if (ftruncate(s->marker, 0) == 0 && lseek(s->marker, 0, SEEK_SET) == 0 && write_line(s->marker, kind))
        write_names(s->marker, atomic_load(&s->files));
    free_scratch(s);
}

void scratch_remove(struct scratch *s)
{
    if (!s)
        return;
    remove_files(s);
    if (scratch_take(s))
        free_scratch(s);
}

void scratch_remove_all_on_signal(void)
{
    int saved = errno;

    for (int i = 0; i < DIRS_MAX; i++) {
        struct scratch *s = atomic_exchange(&open_dirs[i], NULL);

        if (s && s->owner == getpid())
            remove_files(s);
    }
    errno = saved;
}
