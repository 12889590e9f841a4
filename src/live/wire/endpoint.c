#include "live/wire/endpoint.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define STACK       (1u << 20)
#define WAITING_MAX 4096         /* backlog: all agents, after a restart */

bool address_is_here(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strncmp(address, "localhost:", 10) == 0 ||
           strncmp(address, "[::1]:", 6) == 0 || strncmp(address, "unix:", 5) == 0;
}

int address_check(const char *address, const struct rpc_tls *tls, struct err *err)
{
    return tls->ca || address_is_here(address) ? 0 :
           err_set(err, EPERM, "%s: without TLS only this machine can be reached; write 127.0.0.1:PORT, or "
                               "give tls", address);
}

int address_read(struct address *a, const char *text, struct err *err)
{
    *a = (struct address){ "", "" };
    if (strncmp(text, "unix:", 5) == 0) {
        if (!text[5] || strlen(text + 5) >= sizeof a->host)
            return err_set(err, EINVAL, "%s: it is no path of a socket", text);
        snprintf(a->host, sizeof a->host, "%s", text + 5);
        return 0;
    }
    return !address_split(a, text) && *a->host ? 0 :
           err_set(err, EINVAL, "%s: an address is host:port", text);
}

int address_look_up(const struct address *a, int flags, struct addrinfo **out)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags };

    *out = NULL;
    return getaddrinfo(a->host, a->port, &hints, out);
}

int address_file(struct sockaddr_un *out, const char *path, struct err *err)
{
    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof out->sun_path)
        return err_set(err, ENAMETOOLONG, "%s: a socket's path has less than %zu characters", path,
                       sizeof out->sun_path);
    memcpy(out->sun_path, path, strlen(path) + 1);
    return 0;
}

/* ---- listening ---- */

static int listen_at(const struct sockaddr *at, socklen_t length, const char *address, struct err *err)
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

int listen_open(const char *address, struct err *err)
{
    struct addrinfo   *a;
    struct address     at;
    struct sockaddr_un file;
    struct stat        st;
    int                fd = address_read(&at, address, err);

    if (!fd && !*at.port)
        fd = address_file(&file, at.host, err);
    if (fd)
        return fd;
    if (!*at.port) {
        if (stat(at.host, &st) == 0 && S_ISSOCK(st.st_mode))
            unlink(at.host);
        return listen_at((const struct sockaddr *)&file, sizeof file, address, err);
    }
    if (address_look_up(&at, AI_PASSIVE, &a))
        return err_set(err, EADDRNOTAVAIL, "%s: cannot listen there: there is no such address", address);
    fd = -1;
    for (const struct addrinfo *i = a; i && fd < 0; i = i->ai_next)
        fd = listen_at(i->ai_addr, i->ai_addrlen, address, err);
    freeaddrinfo(a);
    return fd;
}

bool address_local(char path[ADDRESS_LOCAL_SIZE], const char *address, unsigned nth)
{
    const char *own = getenv("XDG_RUNTIME_DIR"), *port = strrchr(address, ':');
    int         length = -1;

    if (strncmp(address, "unix:", 5) == 0 || !port)
        return false;
    if (nth == 0)
        length = snprintf(path, ADDRESS_LOCAL_SIZE, "/run/anole-controller/ctl-%s.sock", port + 1);
    else if (nth == 1 && own && *own)
        length = snprintf(path, ADDRESS_LOCAL_SIZE, "%s/anole/ctl-%s.sock", own, port + 1);
    return length > 0 && length < ADDRESS_LOCAL_SIZE;
}

/* ---- names ---- */

struct lookup {
    struct address   address;
    struct addrinfo *found;
    int              rc;
    int              fd;
    atomic_bool      is_done;    /* the result is available */
    atomic_int       users;      /* the thread and its client: the last frees it */
};

void lookup_free(struct lookup *l)
{
    if (!l || atomic_fetch_sub(&l->users, 1) > 1)
        return;
    if (l->found)
        freeaddrinfo(l->found);
    close(l->fd);
    free(l);
}

static void *work(void *arg)
{
    struct lookup *l = arg;
    uint64_t       one = 1;

    l->rc = address_look_up(&l->address, AI_ADDRCONFIG, &l->found);
    if (l->rc)
        /* a machine without a network has addresses of its own */
        l->rc = address_look_up(&l->address, 0, &l->found);
    atomic_store(&l->is_done, true);
    if (write(l->fd, &one, sizeof one) < 0)
        die("eventfd: %s", strerror(errno));
    lookup_free(l);
    return NULL;
}

struct lookup *lookup_new(const struct address *a)
{
    struct lookup *l = xcalloc(1, sizeof *l);
    pthread_attr_t attr;
    pthread_t      thread;

    l->address = *a;
    l->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    atomic_init(&l->users, 2);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (l->fd < 0 || pthread_create(&thread, &attr, work, l))
        die("cannot start a thread: %s", strerror(errno));
    pthread_attr_destroy(&attr);
    return l;
}

int lookup_fd(const struct lookup *l)
{
    return l->fd;
}

int lookup_take(struct lookup *l, struct addrinfo **out)
{
    *out = NULL;
    if (!atomic_load(&l->is_done))
        return EAI_AGAIN;        /* not signalled yet */
    *out = l->found;
    l->found = NULL;
    return l->rc;
}
