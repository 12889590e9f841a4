#include "base/file/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int mapped_open(struct mapped *m, const char *path, struct err *err)
{
    int         fd = open(path, O_RDONLY | O_CLOEXEC), code = errno;
    struct stat is;
    void       *data;

    *m = (struct mapped){ "", 0 };
    if (fd < 0)
        return err_set(err, code, "%s: %s", path, strerror(code));
    if (fstat(fd, &is) || !S_ISREG(is.st_mode)) {
        close(fd);
        return err_set(err, EINVAL, "%s is not a file", path);
    }
    data = is.st_size ? mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    code = errno;
    close(fd);
    if (data == MAP_FAILED)
        return err_set(err, code, "%s: %s", path, strerror(code));
    if (data)
        *m = (struct mapped){ data, (size_t)is.st_size };
    return 0;
}

void mapped_close(struct mapped *m)
{
    if (m->size)
        munmap((void *)m->data, m->size);
    *m = (struct mapped){ "", 0 };
}
