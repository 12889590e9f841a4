/* src/base/file/outdir.c
 *
 * An open outdir stands in open_dirs[] from before its folder is made. Whoever takes it out of
 * there, by one atomic exchange, owns it: outdir_commit(), outdir_abort() or the signal handler,
 * never two of them. The handler may not allocate or read a folder, so every file's path is at
 * hand in a list that only grows.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE              /* renameat2, statx */
#endif
#include "base/file/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER    ".anole"
#define DIRS_MAX  16

struct file {
    struct file *next;
    FILE        *stream;         /* NULL: not open */
    const char  *name;           /* the last part of path */
    char         path[];
};

struct outdir {
    char                  *shown;            /* as the caller wrote it, for messages */
    char                  *target, *temp;    /* absolute */
    _Atomic(struct file *) files;
    pid_t                  owner;            /* a forked child does not remove its parent's folder */
};

static _Atomic(struct outdir *) open_dirs[DIRS_MAX];

static char *join(const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = xmalloc(bytes);

    snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

static int enter(struct outdir *dir)
{
    for (int i = 0; i < DIRS_MAX; i++) {
        struct outdir *none = NULL;

        if (atomic_compare_exchange_strong(&open_dirs[i], &none, dir))
            return 0;
    }
    return -1;
}

/* Makes the caller the owner; 0 if the signal handler was first. */
static int take(struct outdir *dir)
{
    for (int i = 0; i < DIRS_MAX; i++) {
        struct outdir *expected = dir;

        if (atomic_compare_exchange_strong(&open_dirs[i], &expected, NULL))
            return 1;
    }
    return 0;
}

/* Async-signal-safe. */
static void remove_temp(struct outdir *dir)
{
    for (struct file *f = atomic_load(&dir->files); f; f = f->next)
        unlink(f->path);
    rmdir(dir->temp);
}

static void free_dir(struct outdir *dir)
{
    for (struct file *f = atomic_load(&dir->files), *next; f; f = next) {
        next = f->next;
        if (f->stream)
            fclose(f->stream);
        free(f);
    }
    free(dir->shown);
    free(dir->target);
    free(dir->temp);
    free(dir);
}

static int is_mount(const char *path)
{
    struct statx s;

    return statx(AT_FDCWD, path, 0, 0, &s) == 0 && (s.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static int is_ours(const char *path)
{
    char *marker = join(path, MARKER);
    int found = access(marker, F_OK) == 0;

    free(marker);
    return found;
}

static int is_empty(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *e;
    int found = 0;

    if (!folder)
        return 0;
    while (!found && (e = readdir(folder)))
        found = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(folder);
    return !found;
}

/* Whether the folder that is at 'target' now, if any, may be replaced. */
static int check_target(const struct outdir *dir, struct err *err)
{
    struct stat s;

    if (lstat(dir->target, &s))
        return errno == ENOENT ? 0 : err_set(err, errno, "%s: %s", dir->shown, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return err_set(err, ENOTDIR, "%s: exists and is not a folder", dir->shown);
    if (is_mount(dir->target))
        return err_set(err, EBUSY, "%s: is a mount point; name a folder inside it", dir->shown);
    if (!is_ours(dir->target) && !is_empty(dir->target))
        return err_set(err, EEXIST, "%s: exists and was not written by anole; name another folder",
                       dir->shown);
    return 0;
}

/* The parent of 'path' and its last part in one piece of memory that starts at the return value. */
static char *split_path(const char *path, const char **last)
{
    char *parent = xmalloc(strlen(path) + 3), *slash;
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    memcpy(parent, "./", 2);
    memcpy(parent + 2, path, length);
    parent[length + 2] = '\0';
    if (path[0] == '/')
        memmove(parent, parent + 2, length + 1);
    slash = strrchr(parent, '/');
    *slash = '\0';
    *last = slash + 1;
    return parent;
}

/* Fills target and temp. Absolute, so that a later chdir() changes nothing, and through links, so that
 * `results -> /big/disk` stays one. */
static int find_place(struct outdir *dir, struct err *err)
{
    char *real = realpath(dir->shown, NULL), *parent, *real_parent;
    const char *last;
    int rc = 0;

    parent = split_path(real ? real : dir->shown, &last);
    real_parent = realpath(*parent ? parent : "/", NULL);
    if (!*dir->shown || !*last)
        rc = err_set(err, EINVAL, "'%s' cannot be a folder for results", dir->shown);
    else if (!real_parent)
        rc = err_set(err, errno, "%s: its parent folder: %s", dir->shown, strerror(errno));
    if (!rc) {
        dir->target = join(real_parent, last);
        dir->temp = join(real_parent, ".anole-XXXXXX");
    }
    free(real);
    free(parent);
    free(real_parent);
    return rc;
}

/* mkdtemp() makes a folder for us alone; the results get the rights that any new folder gets. */
static int make_temp(struct outdir *dir)
{
    mode_t mask;

    if (!mkdtemp(dir->temp))
        return -errno;
    mask = umask(0);
    umask(mask);
    return chmod(dir->temp, 0777 & ~mask) ? -errno : 0;
}

int outdir_open(struct outdir **out, const char *path, struct err *err)
{
    struct outdir *dir = xcalloc(1, sizeof(*dir));
    int rc;

    *out = NULL;
    dir->shown = xstrdup(path);
    dir->owner = getpid();
    rc = find_place(dir, err);
    if (!rc)
        rc = check_target(dir, err);
    if (!rc && enter(dir))
        rc = err_set(err, EMFILE, "%s: more than %d folders are being written", path, DIRS_MAX);
    if (rc) {
        free_dir(dir);
        return rc;
    }
    rc = make_temp(dir);
    if (rc)
        rc = err_set(err, -rc, "%s: no folder can be made beside it: %s", path, strerror(-rc));
    else if (!outdir_file(dir, MARKER, err))
        rc = -EIO;
    if (rc) {
        outdir_abort(dir);
        return rc;
    }
    *out = dir;
    return 0;
}

FILE *outdir_file(struct outdir *dir, const char *name, struct err *err)
{
    size_t room = strlen(dir->temp) + strlen(name) + 2;
    struct file *f;

    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        err_set(err, EINVAL, "%s: '%s' cannot be the name of a file", dir->shown, name);
        return NULL;
    }
    f = xcalloc(1, sizeof(*f) + room);
    snprintf(f->path, room, "%s/%s", dir->temp, name);
    f->name = strrchr(f->path, '/') + 1;
    f->next = atomic_load(&dir->files);
    atomic_store(&dir->files, f);            /* before it exists: the signal handler must know it */
    f->stream = fopen(f->path, "wxe");
    if (!f->stream)
        err_set(err, errno, "%s/%s: %s", dir->shown, name, strerror(errno));
    return f->stream;
}

/* Closes every file; the first that could not be written whole is the error. */
static int close_files(struct outdir *dir, struct err *err)
{
    int rc = 0;

    for (struct file *f = atomic_load(&dir->files); f; f = f->next) {
        int failed, code;

        if (!f->stream)
            continue;
        errno = 0;
        failed = ferror(f->stream);
        failed |= fclose(f->stream);
        f->stream = NULL;
        if (!failed || rc)
            continue;
        code = errno;            /* 0: an earlier write failed and its reason is gone */
        rc = err_set(err, code ? code : EIO, "%s/%s: could not be written: %s", dir->shown, f->name,
                     code ? strerror(code) : "a write failed; is the disk full?");
    }
    return rc;
}

/* For file systems that cannot exchange: for a moment there is no target. Leaves the old one where
 * 'temp' was. */
static int exchange_slowly(struct outdir *dir)
{
    char *away = xstrdup(dir->temp);
    int rc = 0;

    memcpy(away + strlen(away) - 6, "XXXXXX", 6);
    if (!mkdtemp(away)) {
        rc = -errno;
        goto free_away;
    }
    if (rename(dir->target, away)) {
        rc = -errno;
        goto remove_away;
    }
    if (rename(dir->temp, dir->target)) {
        rc = -errno;
        rename(away, dir->target);
        goto remove_away;
    }
    rename(away, dir->temp);
remove_away:
    rmdir(away);
free_away:
    free(away);
    return rc;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s, (void)type, (void)ftw;
    remove(path);
    return 0;
}

/* Puts temp where target is. rename() itself replaces nothing and an empty folder. */
static int move_into_place(struct outdir *dir, struct err *err)
{
    int rc = check_target(dir, err);

    if (rc)
        return rc;
    if (rename(dir->temp, dir->target) == 0)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return err_set(err, errno, "%s: %s", dir->shown, strerror(errno));
    if (renameat2(AT_FDCWD, dir->temp, AT_FDCWD, dir->target, RENAME_EXCHANGE))
        rc = exchange_slowly(dir);
    if (rc)
        return err_set(err, -rc, "%s: %s", dir->shown, strerror(-rc));
    /* Now the old one. Should some of it stay, the new results stand all the same. */
    nftw(dir->temp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}

int outdir_commit(struct outdir *dir, struct err *err)
{
    sigset_t all, before;
    int rc = close_files(dir, err);

    /* A signal between taking and moving would find nothing to remove. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (!take(dir)) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return err_set(err, EINTR, "interrupted");
    }
    if (!rc)
        rc = move_into_place(dir, err);
    if (rc)
        remove_temp(dir);
    free_dir(dir);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

void outdir_abort(struct outdir *dir)
{
    if (!dir)
        return;
    remove_temp(dir);
    if (take(dir))
        free_dir(dir);
}

void outdir_abort_all_on_signal(void)
{
    int saved = errno;

    for (int i = 0; i < DIRS_MAX; i++) {
        struct outdir *dir = atomic_exchange(&open_dirs[i], NULL);

        if (dir && dir->owner == getpid())
            remove_temp(dir);
    }
    errno = saved;
}
