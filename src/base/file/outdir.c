/* src/base/file/outdir.c */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE              /* renameat2, statx */
#endif

#include "base/file/outdir.h"
#include "base/file/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outdir {
    char           *shown;       /* as the caller wrote it, for messages */
    char           *target;      /* absolute */
    struct scratch *scratch;
};

static char *join(const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = xmalloc(bytes);

    snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

static void free_dir(struct outdir *dir)
{
    free(dir->shown);
    free(dir->target);
    free(dir);
}

static int is_mount(const char *path)
{
    struct statx s;

    return statx(AT_FDCWD, path, 0, 0, &s) == 0 && (s.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static int is_ours(const char *path)
{
    char *marker = join(path, SCRATCH_MARKER);
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

/* Fills target. Absolute, so that a later chdir() changes nothing, and through links, so that
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
    if (!rc)
        dir->target = join(real_parent, last);
    free(real);
    free(parent);
    free(real_parent);
    return rc;
}

int outdir_open(struct outdir **out, const char *path, struct err *err)
{
    struct outdir *dir = xcalloc(1, sizeof(*dir));
    int rc;

    *out = NULL;
    dir->shown = xstrdup(path);
    rc = find_place(dir, err);
    if (!rc)
        rc = check_target(dir, err);
    if (!rc) {
        rc = scratch_open(&dir->scratch, dir->target);
        if (rc)
            err_set(err, -rc, "%s: no folder can be made beside it: %s", path, strerror(-rc));
    }
    if (rc)
        free_dir(dir);
    else
        *out = dir;
    return rc;
}

FILE *outdir_file(struct outdir *dir, const char *name, struct err *err)
{
    char *shown;
    FILE *stream;

    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        err_set(err, EINVAL, "%s: '%s' cannot be the name of a file", dir->shown, name);
        return NULL;
    }
    shown = join(dir->shown, name);
    stream = scratch_file(dir->scratch, name, shown);
    if (!stream)
        err_set(err, errno, "%s: %s", shown, strerror(errno));
    free(shown);
    return stream;
}

/* For file systems that cannot exchange: for a moment there is no target. Leaves the old one where 'temp' was. */
static int exchange_slowly(const char *temp, const char *target)
{
    char *away = xstrdup(temp);
    int rc = 0;

    memcpy(away + strlen(away) - 6, "XXXXXX", 6);
    if (!mkdtemp(away)) {
        rc = -errno;
        goto free_away;
    }
    if (rename(target, away)) {
        rc = -errno;
        goto remove_away;
    }
    if (rename(temp, target)) {
        rc = -errno;
        rename(away, target);
        goto remove_away;
    }
    rename(away, temp);
remove_away:
    rmdir(away);
free_away:
    free(away);
    return rc;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s, (void)type;
    if (ftw->level != 1 || strcmp(path + ftw->base, SCRATCH_MARKER) != 0)
        remove(path);
    return 0;
}

/* Should some of it stay, the new results stand all the same. The marker goes last: by it, the next run finds what this
 * one has left when it is killed here. */
static void remove_old(const char *path)
{
    char *marker = join(path, SCRATCH_MARKER);

    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (unlink(marker) == 0)
        rmdir(path);
    free(marker);
}

/* Puts the scratch folder where target is. rename() itself replaces nothing and an empty folder. */
static int move_into_place(struct outdir *dir, struct err *err)
{
    const char *temp = scratch_path(dir->scratch);
    int rc = check_target(dir, err);

    if (rc)
        return rc;
    if (rename(temp, dir->target) == 0)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return err_set(err, errno, "%s: %s", dir->shown, strerror(errno));
    scratch_condemn(dir->scratch, dir->target);
    if (renameat2(AT_FDCWD, temp, AT_FDCWD, dir->target, RENAME_EXCHANGE))
        rc = exchange_slowly(temp, dir->target);
    if (rc)
        return err_set(err, -rc, "%s: %s", dir->shown, strerror(-rc));
    remove_old(temp);
    return 0;
}

static void sync_parent(const struct outdir *dir)
{
    char *parent = scratch_parent(dir->target);

    scratch_sync_folder(parent);
    free(parent);
}

int outdir_commit(struct outdir *dir, struct err *err)
{
    sigset_t all, before;
    int rc = scratch_close(dir->scratch, err);

    /* A signal between taking and moving would find nothing to remove. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (!scratch_take(dir->scratch)) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return err_set(err, EINTR, "interrupted");
    }
    if (!rc)
        rc = move_into_place(dir, err);
    if (rc) {
        scratch_remove(dir->scratch);
    } else {
        scratch_leave(dir->scratch);
        sync_parent(dir);
    }
    free_dir(dir);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

void outdir_abort(struct outdir *dir)
{
    if (!dir)
        return;
    scratch_remove(dir->scratch);
    free_dir(dir);
}
