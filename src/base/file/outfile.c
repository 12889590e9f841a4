#include "base/file/outfile.h"
#include "base/file/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "file"              /* in the temporary folder */

static int check_target(const char *path, struct err *err)
{
    struct stat s;

    if (strcmp(path, "-") == 0)
        return err_set(err, EINVAL, "'-' is not a file");
    if (stat(path, &s))
        return errno == ENOENT ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return err_set(err, EINVAL, "%s: exists and is not a regular file", path);
    return 0;
}

int outfile_open(struct outfile *f, const char *path, struct err *err)
{
    int rc = check_target(path, err);

    memset(f, 0, sizeof(*f));
    if (rc)
        return rc;
    f->shown = path;
    f->target = realpath(path, NULL);        /* links stay links */
    if (!f->target)
        f->target = xstrdup(path);
    rc = scratch_open(&f->scratch, f->target);
    if (!rc) {
        f->stream = scratch_file(f->scratch, NAME, path);
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
    if (!f->stream)
        return 0;
    f->stream = NULL;
    return scratch_close(f->scratch, err);
}

static void sync_parent(const char *target)
{
    char *parent = scratch_parent(target);

    scratch_sync_folder(parent);
    free(parent);
}

static int move_into_place(const struct outfile *f)
{
    char *temp = xprintf("%s/%s", scratch_path(f->scratch), NAME);
    int   rc = rename(temp, f->target) ? -errno : 0;

    if (!rc)
        sync_parent(f->target);
    free(temp);
    return rc;
}

int outfile_commit(struct outfile *f, struct err *err)
{
    if (!f->scratch)
        return 0;
    int rc = move_into_place(f);
    if (rc)
        err_set(err, -rc, "%s: %s", f->shown, strerror(-rc));
    outfile_abort(f);
    return rc;
}

int outfile_end(struct outfile *f, int rc, struct err *err)
{
    rc = rc ? rc : outfile_close(f, err);
    rc = rc ? rc : outfile_commit(f, err);
    outfile_abort(f);
    return rc;
}

int outfile_write(const char *path, const void *bytes, size_t length, struct err *err)
{
    struct outfile f;
    int rc = outfile_open(&f, path, err);

    if (rc)
        return rc;
    fwrite(bytes, 1, length, f.stream);          /* outfile_end() reports failed writes */
    return outfile_end(&f, 0, err);
}

void outfile_abort(struct outfile *f)
{
    scratch_remove(f->scratch);
    free(f->target);
    memset(f, 0, sizeof(*f));
}

/* ---- folders ---- */

struct outdir {
    char           *shown;       /* as the caller wrote it, for messages */
    char           *target;      /* absolute */
    const char     *kind;        /* "anole run" */
    struct scratch *scratch;
};

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

/* Refuses to replace results of another command. After an interrupted commit the first line names a scratch
 * folder, whose files are Anole's, too. */
static int check_marker(const struct outdir *dir, const struct marker *m, struct err *err)
{
    if (!m->kind)
        return err_set(err, EEXIST, "%s: written by anole 0.1, which did not record its files; choose "
                       "another folder, or remove this one", dir->shown);
    if (strncmp(m->kind, "anole ", 6) == 0 && strcmp(m->kind, dir->kind) != 0)
        return err_set(err, EEXIST, "%s: holds results of '%s', not of '%s'; name another folder, or remove "
            "it",
                       dir->shown, m->kind, dir->kind);
    return 0;
}

/* Checks that the target may be created or replaced. */
static int check_place(const struct outdir *dir, struct err *err)
{
    struct stat s;

    if (lstat(dir->target, &s))
        return errno == ENOENT ? 0 : err_set(err, errno, "%s: %s", dir->shown, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return err_set(err, ENOTDIR, "%s: exists and is not a folder", dir->shown);
    if (is_mount(dir->target))
        return err_set(err, EBUSY, "%s: is a mount point; name a folder inside it", dir->shown);
    struct marker m;
    int rc = 0;
    if (marker_read(&m, dir->target))
        rc = check_marker(dir, &m, err);
    else if (!scratch_is_bare(AT_FDCWD, dir->target))
        rc = err_set(err, EEXIST, "%s: exists and was not written by anole; name another folder", dir->shown);
    marker_fini(&m);
    return rc;
}

/* Fills 'target' with an absolute path, so that chdir() does not matter. A link to a folder stays a link. */
static int find_place(struct outdir *dir, struct err *err)
{
    char  *real = realpath(dir->shown, NULL);
    char  *here = *dir->shown == '/' ? xstrdup("") : getcwd(NULL, 0);
    size_t length = strlen(dir->shown);

    while (length > 0 && dir->shown[length - 1] == '/')
        length--;
    if (!here)
        die("the current folder is gone");
    if (length > 0 && strcmp(dir->shown, "-") != 0)
        dir->target = real ? xstrdup(real)
                           : xprintf("%s%s%.*s", here, *here ? "/" : "", (int)length, dir->shown);
    free(real);
    free(here);
    return dir->target ? 0 : err_set(err, EINVAL, "'%s' cannot be a folder for results", dir->shown);
}

int outdir_open(struct outdir **out, const char *path, const char *kind, struct err *err)
{
    struct outdir *dir = xcalloc(1, sizeof(*dir));

    *out = NULL;
    dir->shown = xstrdup(path);
    dir->kind = kind;
    int rc = find_place(dir, err);
    rc = rc ? rc : check_place(dir, err);
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
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        err_set(err, EINVAL, "%s: '%s' cannot be the name of a file", dir->shown, name);
        return NULL;
    }
    char *shown = xprintf("%s/%s", dir->shown, name);
    FILE *stream = scratch_file(dir->scratch, name, shown);
    if (!stream)
        err_set(err, errno, "%s: %s", shown, strerror(errno));
    free(shown);
    return stream;
}

/* For file systems without RENAME_EXCHANGE: for a moment there is no target. Leaves the old one at 'temp'. */
static int exchange_slowly(const char *temp, const char *target)
{
    char *away = xprintf("%s~", temp);
    int   rc = rename(target, away) ? -errno : 0;

    if (!rc && rename(temp, target)) {
        rc = -errno;
        rename(away, target);
    } else if (!rc) {
        rename(away, temp);
    }
    free(away);
    return rc;
}

/* Renames unless 'to' exists. Where a file system cannot refuse to replace, look first. */
static bool move_to(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    return errno != EEXIST && access(to, F_OK) && rename(from, to) == 0;
}

/* Renames a user's file that has the name of a new result to "flows.csv.before", or ".before.before". */
static void move_aside(const char *from, const char *to)
{
    char name[PATH_MAX];
    size_t used = (size_t)snprintf(name, sizeof(name), "%s", to);

    while (used + sizeof(".before") <= sizeof(name)) {
        used += (size_t)sprintf(name + used, ".before");
        if (move_to(from, name) || access(name, F_OK))
            return;
    }
}

/* Moves the user's files to the new folder: first those that keep their names, then (is_rest) the others. */
static void keep_others(const char *old, const char *target, const struct marker *m, bool is_rest)
{
    DIR *folder = opendir(old);
    struct dirent *e;

    while (folder && (e = readdir(folder))) {
        char *from = xprintf("%s/%s", old, e->d_name), *to = xprintf("%s/%s", target, e->d_name);

        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !marker_has(m, old, e->d_name)) {
            if (is_rest)
                move_aside(from, to);
            else
                move_to(from, to);
        }
        free(from);
        free(to);
    }
    if (folder)
        closedir(folder);
}

static int exchange(const char *temp, const char *target)
{
    return renameat2(AT_FDCWD, temp, AT_FDCWD, target, RENAME_EXCHANGE) ? exchange_slowly(temp, target) : 0;
}

static int replace(struct outdir *dir, const char *temp, struct err *err)
{
    struct marker old;

    marker_read(&old, dir->target);
    scratch_condemn(dir->scratch, dir->target, &old);
    int rc = exchange(temp, dir->target);
    if (!rc) {
        keep_others(temp, dir->target, &old, false);
        keep_others(temp, dir->target, &old, true);
        scratch_clean(temp);
    }
    marker_fini(&old);
    return rc ? err_set(err, -rc, "%s: %s", dir->shown, strerror(-rc)) : 0;
}

/* Moves the scratch folder to the target. rename() succeeds if the target is missing or empty. */
static int move_folder(struct outdir *dir, struct err *err)
{
    const char *temp = scratch_path(dir->scratch);
    int rc = check_place(dir, err);

    if (rc)
        return rc;
    if (rename(temp, dir->target) == 0)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return err_set(err, errno, "%s: %s", dir->shown, strerror(errno));
    return replace(dir, temp, err);
}

int outdir_commit(struct outdir *dir, struct err *err)
{
    sigset_t all, before;
    int rc = scratch_close(dir->scratch, err);

    /* A signal between scratch_take() and the move would leave the scratch folder behind. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (!scratch_take(dir->scratch)) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return err_set(err, EINTR, "interrupted");
    }
    rc = rc ? rc : move_folder(dir, err);
    if (rc) {
        scratch_remove(dir->scratch);
    } else {
        scratch_leave(dir->scratch, dir->kind);
        sync_parent(dir->target);
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
