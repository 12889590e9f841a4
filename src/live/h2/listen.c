#include "live/h2/listen.h"
#include "base/io/address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WAITING_MAX 4096         /* backlog: all agents, after a restart */

static int open_at(const struct sockaddr *at, socklen_t length, const char *address, struct err *err)
{
    int fd = socket(at->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, rc;

    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd >= 0 && bind(fd, at, length) == 0 && listen(fd, WAITING_MAX) == 0)
        return fd;
    rc = err_set(err, errno, "%s: cannot listen there: %s", address, strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

static int open_file(const char *address, struct err *err)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const char        *path = address + strlen("unix:");
    struct stat        st;

    if (strlen(path) >= sizeof at.sun_path)
        return err_set(err, ENAMETOOLONG,
                       "%s: cannot listen there: a socket's path has less than %zu characters", address,
                       sizeof at.sun_path);
    memcpy(at.sun_path, path, strlen(path) + 1);
    if (stat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        unlink(path);
    return open_at((const struct sockaddr *)&at, sizeof at, address, err);
}

int listen_open(const char *address, struct err *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *a = NULL;
    struct address  at;
    int             fd = -1;

    if (strncmp(address, "unix:", 5) == 0)
        return open_file(address, err);
    if (address_split(&at, address) || !*at.host)
        return err_set(err, EINVAL, "%s: cannot listen there: an address is host:port", address);
    if (getaddrinfo(at.host, at.port, &hints, &a))
        return err_set(err, EADDRNOTAVAIL, "%s: cannot listen there: there is no such address", address);
    for (const struct addrinfo *i = a; i && fd < 0; i = i->ai_next)
        fd = open_at(i->ai_addr, i->ai_addrlen, address, err);
    freeaddrinfo(a);
    return fd;
}

int listen_next(int listening)
{
    int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;

    if (fd < 0)
        return -errno;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);          /* not of a file's; no matter */
    return fd;
}
