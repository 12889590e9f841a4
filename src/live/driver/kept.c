/* src/live/driver/kept.c - see kept.h. */
#include "live/driver/kept.h"
#include "base/err.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void kept_init(struct kept *k, const char *path)
{
    *k = (struct kept){ xstrdup(path), -1 };
}

static void let_go(struct kept *k)
{
    if (k->fd >= 0)
        close(k->fd);
    k->fd = -1;
}

void kept_fini(struct kept *k)
{
    if (!k->path)
        return;
    let_go(k);
    free(k->path);
    *k = (struct kept){ NULL, -1 };
}

/* Has its name become another file's, or nobody's? */
static bool is_replaced(int fd)
{
    struct stat st;

    return fstat(fd, &st) || st.st_nlink == 0;
}

static int read_it(struct kept *k, char *text, size_t size)
{
    ssize_t length = pread(k->fd, text, size - 1, 0);
    int     rc = length < 0 ? -errno : 0;

    text[length > 0 ? length : 0] = '\0';
    if (rc)
        let_go(k);
    return rc;
}

int kept_read(struct kept *k, char *text, size_t size)
{
    text[0] = '\0';
    if (k->fd >= 0 && is_replaced(k->fd))
        let_go(k);
    if (k->fd >= 0 && read_it(k, text, size) == 0)
        return 0;                /* else the device may have gone, and come back */
    k->fd = open(k->path, O_RDONLY | O_CLOEXEC);
    return k->fd < 0 ? -errno : read_it(k, text, size);
}
