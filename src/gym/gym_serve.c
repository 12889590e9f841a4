#include "gym/gym_serve.h"
#include "base/file/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Buffer of a message. Memory for a payload grows as bytes arrive, so that a head alone cannot allocate
 * much. */
struct incoming { uint8_t *payload; size_t room; };

static int read_payload(struct incoming *m, int in, uint32_t bytes)
{
    size_t have = 0;

    while (have < bytes) {
        size_t next = bytes - have < 65536 ? bytes - have : 65536;

        if (have + next > m->room) {
            m->room = 2 * (have + next);
            m->payload = xrealloc(m->payload, m->room);
        }
        if (!whole_read(in, m->payload + have, next))
            return 0;
        have += next;
    }
    return 1;
}

/* Handles one message. *is_there: the client is still connected. */
static int serve_message(struct gym_session *s, struct incoming *m, int in, int out, bool *is_there,
                         struct err *err)
{
    uint8_t head[GYM_HEAD_BYTES];
    uint32_t type, bytes;
    int rc;

    *is_there = whole_read(in, head, sizeof(head));
    if (!*is_there)
        return 0;
    rc = gym_head_parse(head, &type, &bytes, err);
    if (rc)
        gym_session_refuse(s, err);
    else {
        *is_there = read_payload(m, in, bytes);
        if (!*is_there)
            return 0;
        rc = gym_session_take(s, type, m->payload, bytes, err);
    }
    *is_there = whole_write(out, s->reply.bytes, s->reply.length);
    return rc;
}

int gym_serve(const struct gym_world *w, int in, int out, struct err *err)
{
    struct incoming m = { .payload = xmalloc(16), .room = 16 };
    struct gym_session s;
    bool is_there = true;
    int rc = 0;

    gym_session_init(&s, w);
    while (!rc && is_there && !s.is_closed)
        rc = serve_message(&s, &m, in, out, &is_there, err);
    gym_session_fini(&s);
    free(m.payload);
    return rc;
}

/* ---- sockets ---- */

int gym_listen(const char *path, int *listener, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    mode_t mask;
    int fd, rc;

    if (strlen(path) >= sizeof(address.sun_path))
        return err_set(err, ENAMETOOLONG, "%s: the name of a socket may have at most %zu bytes", path,
                       sizeof(address.sun_path) - 1);
    memcpy(address.sun_path, path, strlen(path));
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    mask = umask(0177);
    rc = bind(fd, (const struct sockaddr *)&address, sizeof(address));
    umask(mask);
    if (rc == 0)
        rc = listen(fd, 16);
    if (rc) {
        rc = errno == EADDRINUSE
                 ? err_set(err, EEXIST, "%s: already exists; delete it first", path)
                 : err_set(err, errno, "%s: %s", path, strerror(errno));
        close(fd);
        return rc;
    }
    *listener = fd;
    return 0;
}

int gym_serve_socket(const struct gym_world *w, int listener, uint64_t clients, struct err *err)
{
    for (uint64_t i = 0; clients == 0 || i < clients; i++) {
        int fd = accept(listener, NULL, NULL);
        struct err why;

        if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
            return err_set(err, errno, "cannot accept clients: %s", strerror(errno));
        if (fd < 0)
            continue;
        if (gym_serve(w, fd, fd, &why))
            fprintf(stderr, "anole: a client: %s\n", why.text);
        close(fd);
    }
    return 0;
}
