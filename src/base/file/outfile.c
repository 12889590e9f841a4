#include "base/file/outfile.h"
#include "base/file/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "file"              /* in the temporary folder */

static int check_target(const char *path, struct err *err)
{
    struct stat s;

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

static int move_into_place(const struct outfile *f)
{
    char *temp = xprintf("%s/%s", scratch_path(f->scratch), NAME), *parent = scratch_parent(f->target);
    int   rc = rename(temp, f->target) ? -errno : 0;

    if (!rc)
        scratch_sync_folder(parent);
    free(temp);
    free(parent);
    return rc;
}

int outfile_commit(struct outfile *f, struct err *err)
{
    int rc;

    if (!f->scratch)
        return 0;
    rc = move_into_place(f);
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
