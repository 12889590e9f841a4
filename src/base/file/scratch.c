/* src/base/file/scratch.c
 *
 * A scratch is listed in open_dirs[] before its folder is created. Removing it from there, by an atomic
 * exchange, takes ownership: either the caller or the signal handler gets it. The handler must not allocate
 * or read folders, so the paths of all files are kept in a list that only grows.
 *
 * The marker is empty until it is locked. A cleaner that gets the lock first finds no name and leaves the
 * folder alone.
 */
#include "base/file/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRS_MAX   20
#define PREFIX     ".anole-"
#define RANDOM     "XXXXXX"
#define NAME_CHARS (sizeof(PREFIX RANDOM) - 1)
#define MARKER_MAX (1u << 20)                /* far more than Anole writes; the rest is ignored */

struct file {
    struct file *next;
    FILE        *stream;         /* NULL: not open */
    char        *shown;
    char         path[];
};

struct scratch {
    char                  *path;
    char                 **above;            /* folders made above it, outermost first */
    uint32_t               aboves;
    const char            *name;             /* last part of path */
    _Atomic(struct file *) files;
    int                    marker;           /* -1: not open */
    bool                   is_locked;        /* and the marker names all files so far */
    bool                   is_taken;         /* removed from open_dirs[] */
    pid_t                  owner;            /* a forked child does not remove its parent's folder */
};

static _Atomic(struct scratch *) open_dirs[DIRS_MAX];

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

/* Creates the marker, locks it, and writes the name of the folder. If files cannot be locked, the marker
 * stays empty, and the folder is never cleaned up. */
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
    char *path = xprintf("%s/%s", old, MARKER_NAME);
    int marker = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool is_good = marker >= 0 && ftruncate(marker, 0) == 0 && write_line(marker, s->name);

    for (uint32_t i = 0; i < m->names && is_good; i++)
        is_good = write_line(marker, m->name[i]);
    if (marker >= 0)
        close(marker);
    free(path);
}

static void read_marker(struct marker *m, int fd)
{
    size_t  used = 0;
    ssize_t got;

    m->text = xmalloc(MARKER_MAX + 1);
    while (used < MARKER_MAX && (got = read(fd, m->text + used, MARKER_MAX - used)) > 0)
        used += (size_t)got;
    m->text[used] = '\0';
    /* Splits the text into lines. Ignores an incomplete last line. */
    char *line = m->text, *end;
    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (!m->kind) {
            m->kind = line;
            continue;
        }
        m->name = xrealloc(m->name, (m->names + 1) * sizeof(*m->name));
        m->name[m->names++] = line;
    }
}

bool marker_read(struct marker *m, const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = folder < 0 ? -1 : openat(folder, MARKER_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *m = (struct marker){ 0 };
    if (folder >= 0)
        close(folder);
    if (fd < 0)
        return false;
    read_marker(m, fd);
    close(fd);
    return true;
}

void marker_fini(struct marker *m)
{
    free(m->name);
    free(m->text);
    *m = (struct marker){ 0 };
}

bool marker_has(const struct marker *m, const char *path, const char *name)
{
    bool  is_named = strcmp(name, MARKER_NAME) == 0;
    char *whole = xprintf("%s/%s", path, name);

    for (uint32_t i = 0; i < m->names && !is_named; i++)
        is_named = strcmp(m->name[i], name) == 0;
    is_named = is_named && is_file_at(AT_FDCWD, whole);
    free(whole);
    return is_named;
}

/* ---- clean up after killed owners ---- */

bool scratch_is_bare(int at, const char *path)
{
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    bool is_good = folder != NULL;

    while (is_good && (e = readdir(folder)))
        is_good = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            strcmp(e->d_name, MARKER_NAME) == 0;
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    return is_good;
}

/* Removes the files that the marker names. */
static void remove_named(int folder, const struct marker *m)
{
    for (uint32_t i = 0; i < m->names; i++)
        if (!strchr(m->name[i], '/') && is_file_at(folder, m->name[i]))
            unlinkat(folder, m->name[i], 0);
}

/* Removes a folder if it belongs to this user, has a valid marker, and the marker is not locked. */
static void clean_one(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int marker = folder < 0 ? -1 : openat(folder, MARKER_NAME,
                                          O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct marker m = { 0 };
    struct stat found;

    if (marker >= 0 && fstat(marker, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
        flock(marker, LOCK_EX | LOCK_NB) == 0)
        read_marker(&m, marker);
    if (m.kind && strcmp(m.kind, name) == 0) {
        remove_named(folder, &m);
        if (scratch_is_bare(folder, ".")) {
            unlinkat(folder, MARKER_NAME, 0);
            unlinkat(parent, name, AT_REMOVEDIR);
        }
    }
    marker_fini(&m);
    if (marker >= 0)
        close(marker);
    if (folder >= 0)
        close(folder);
}

void scratch_clean(const char *path)
{
    char *parent = scratch_parent(path);
    int   folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder >= 0) {
        clean_one(folder, strrchr(path, '/') + 1);
        close(folder);
    }
    free(parent);
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

/* ---- life cycle ---- */

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

/* Async-signal-safe. The marker, the oldest in the list, goes last, so that the next run can continue. */
static void remove_files(struct scratch *s)
{
    for (struct file *f = atomic_load(&s->files); f; f = f->next)
        unlink(f->path);
    rmdir(s->path);
    for (uint32_t i = s->aboves; i > 0; i--)
        rmdir(s->above[i - 1]);
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
    for (uint32_t i = 0; i < s->aboves; i++)
        free(s->above[i]);
    free(s->above);
    free(s->path);
    free(s);
}

/* Lists a file before it exists, for the signal handler. */
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

/* Creates the folder 'path' and those above it, as far as they are missing. */
static int make_above(struct scratch *s, const char *path)
{
    int rc = 0;

    if (access(path, F_OK) == 0)
        return 0;
    char *parent = scratch_parent(path);
    if (strcmp(parent, path) != 0)
        rc = make_above(s, parent);
    free(parent);
    if (rc || (mkdir(path, 0777) && errno != EEXIST))
        return rc ? rc : -errno;
    s->above = xrealloc(s->above, (s->aboves + 1) * sizeof *s->above);
    s->above[s->aboves++] = xstrdup(path);
    return 0;
}

/* mkdtemp() creates a private folder; results get the permissions of any new folder. */
static int make_folder(struct scratch *s)
{
    if (!mkdtemp(s->path))
        return -errno;
    mode_t mask = umask(0);
    umask(mask);
    return chmod(s->path, 0777 & ~mask) ? -errno : 0;
}

int scratch_open(struct scratch **out, const char *place)
{
    struct scratch *s = xcalloc(1, sizeof(*s));
    char *parent = scratch_parent(place);

    *out = NULL;
    s->path = xprintf("%s/%s", parent, PREFIX RANDOM);
    s->name = strrchr(s->path, '/') + 1;
    s->marker = -1;
    s->owner = getpid();
    int rc = enter(s);
    if (rc) {
        free_scratch(s);
        free(parent);
        return rc;
    }
    rc = make_above(s, parent);
    clean(parent);
    free(parent);
    rc = rc ? rc : make_folder(s);
    rc = rc ? rc : make_marker(s, list_file(s, MARKER_NAME, s->name)->path);
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

    /* Recorded in the marker before it exists. A file that cannot be recorded is never cleaned up. */
    if (s->is_locked)
        s->is_locked = write_line(s->marker, name);
    f->stream = fopen(f->path, "wxe");
    return f->stream;
}

/* Ignores file systems and devices that do not support fsync(). */
static int sync_file(FILE *stream)
{
    return fsync(fileno(stream)) && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? -1 : 0;
}

static int close_file(struct file *f, struct err *err)
{
    errno = 0;
    int failed = ferror(f->stream) || fflush(f->stream) || sync_file(f->stream);
    int code = failed ? errno : 0;
    if (fclose(f->stream) && !failed) {
        failed = 1;
        code = errno;
    }
    f->stream = NULL;
    if (!failed)
        return 0;
    /* 0: an earlier write failed for an unknown reason */
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

/* Writes the names of the files in order of creation; the list is in reverse order. */
static void write_names(int marker, const struct file *f)
{
    if (!f)
        return;
    write_names(marker, f->next);
    const char *name = strrchr(f->path, '/') + 1;
    if (strcmp(name, MARKER_NAME) != 0)
        write_line(marker, name);
}

/* If this is interrupted, the first line names a folder that is gone, and the others are unchanged. */
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

