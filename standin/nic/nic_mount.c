/* standin/nic/nic_mount.c - anole-nic FOLDER [FLAVOUR [MBPS]]: a stand-in NIC (nic.h), mounted at a
 * folder through FUSE until it is unmounted or a signal arrives. An agent with `root: FOLDER` uses it as a
 * NIC. */
#define FUSE_USE_VERSION 31

#include "base/err.h"
#include "base/io/clock.h"
#include "standin/nic/nic.h"

#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct nic nic;

/* length < 0: not read yet */
struct opened { const struct nic_node *node; long length; char text[NIC_LOG_SIZE]; };

static int on_getattr(const char *path, struct stat *s, struct fuse_file_info *fi)
{
    const struct nic_node *f = nic_find(&nic, path);

    (void)fi;
    if (!f)
        return -ENOENT;
    memset(s, 0, sizeof *s);
    s->st_nlink = 1;
    s->st_mode = f->mode | (f->kind == NIC_FOLDER ? S_IFDIR : f->kind == NIC_LINK ? S_IFLNK : S_IFREG);
    /* the size that sysfs reports for all files */
    s->st_size = f->kind == NIC_LINK ? (off_t)strlen(f->text) : f->kind == NIC_FOLDER ? 0 : 4096;
    return 0;
}

static int on_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *fi,
                      enum fuse_readdir_flags flags)
{
    size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);

    (void)at, (void)fi, (void)flags;
    fill(buf, ".", NULL, 0, 0);
    fill(buf, "..", NULL, 0, 0);
    for (uint32_t i = 0; i < nic.nodes; i++) {
        const char *name = nic.node[i].path;

        if (strncmp(name, path, length) == 0 && name[length] == '/' && name[length + 1] &&
            !strchr(name + length + 1, '/') && nic_find(&nic, name))
            fill(buf, name + length + 1, NULL, 0, 0);
    }
    return 0;
}

static int on_readlink(const char *path, char *buf, size_t size)
{
    const struct nic_node *f = nic_find(&nic, path);

    if (!f || f->kind != NIC_LINK)
        return f ? -EINVAL : -ENOENT;
    snprintf(buf, size, "%s", f->text);
    return 0;
}

static int on_open(const char *path, struct fuse_file_info *fi)
{
    const struct nic_node *f = nic_find(&nic, path);
    struct opened         *o;

    if (!f)
        return -ENOENT;
    if (nic.flavour == NIC_LOCKED && f->kind == NIC_PARAMETER)
        return -EPERM;
    o = xcalloc(1, sizeof *o);
    o->node = f;
    o->length = -1;
    fi->fh = (uint64_t)(uintptr_t)o;
    fi->direct_io = 1;           /* each read asks the device */
    return 0;
}

/* A read from the beginning of the file takes the current value. */
static int on_read(const char *path, char *buf, size_t size, off_t at, struct fuse_file_info *fi)
{
    /* NOLINT(performance-no-int-to-ptr): FUSE has a number for it */
    struct opened *o = (struct opened *)(uintptr_t)fi->fh;

    (void)path;
    if (at == 0 || o->length < 0)
        o->length = nic_read(&nic, o->node, o->text, clock_us());
    if (o->length < 0)
        return (int)o->length;
    if (at >= o->length)
        return 0;
    size_t part = (size_t)(o->length - at) < size ? (size_t)(o->length - at) : size;
    memcpy(buf, o->text + at, part);
    return (int)part;
}

/* Every write() is a command of its own, wherever in the file it is. */
static int on_write(const char *path, const char *buf, size_t size, off_t at, struct fuse_file_info *fi)
{
    /* NOLINT(performance-no-int-to-ptr): FUSE has a number for it */
    struct opened *o = (struct opened *)(uintptr_t)fi->fh;
    int            rc = nic_write(&nic, o->node, buf, size, clock_us());

    (void)path, (void)at;
    return rc ? rc : (int)size;
}

/* Truncation has no effect on these files. */
static int on_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
    (void)path, (void)size, (void)fi;
    return 0;
}

static int on_release(const char *path, struct fuse_file_info *fi)
{
    (void)path;
    /* NOLINT(performance-no-int-to-ptr): FUSE has a number for it */
    free((struct opened *)(uintptr_t)fi->fh);
    return 0;
}

static const struct fuse_operations operations = {
    .getattr = on_getattr, .readdir = on_readdir, .readlink = on_readlink, .open = on_open, .read = on_read,
    .write = on_write, .truncate = on_truncate, .release = on_release,
};

static int flavour_of(const char *name)
{
    for (int i = 0; nic_flavours[i]; i++)
        if (strcmp(nic_flavours[i], name) == 0)
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    int   flavour = argc == 3 || argc == 4 ? flavour_of(argv[2]) : argc == 2 ? NIC_OFED : -1;
    long  mbps = argc == 4 ? strtol(argv[3], NULL, 10) : 400000;
    char *args[] = { argv[0], (char *)"-f", (char *)"-s",
                     (char *)"-oattr_timeout=0,entry_timeout=0,negative_timeout=0,default_permissions",
                     argc > 1 ? argv[1] : NULL };

    if (flavour < 0 || mbps < 1 || mbps > 10000000) {
        fputs("anole-nic FOLDER [ofed|inbox|vf|locked [MBPS]]: mounts a stand-in NIC there; see "
              "docs/live.md\n", stderr);
        return 2;
    }
    nic_init(&nic, (enum nic_flavour)flavour, (uint32_t)mbps, clock_us());
    return fuse_main(5, args, &operations, NULL);
}
