/* src/live/wire/account.h - limits for the holder of one certificate.
 *
 * All connections with one certificate share an account: limits for devices and connections, messages and
 * bytes per second, buffered bytes, and log lines. What exceeds a limit is ignored, and the certificate is
 * logged once; other clients are not affected. Without TLS each connection has an account of its own. The
 * holder may speak for each name of the certificate (secure_names()).
 */
#ifndef LIVE_WIRE_ACCOUNT_H
#define LIVE_WIRE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCOUNT_NAMES     4
#define ACCOUNT_NAME_SIZE 64

struct account_limits {
    uint32_t devices;            /* different names, as long as the server runs */
    uint32_t connections;
    double   messages, bytes;    /* per second; a burst may have those of two seconds */
    double   lines;              /* of the log, per minute */
    size_t   held;               /* bytes of incomplete and of unsent messages */
};

#define ACCOUNT_LIMITS ((struct account_limits){ 64, 128, 20000, 32e6, 10, 32u << 20 })

enum account_kind { ACCOUNT_DEVICES, ACCOUNT_CONNECTIONS, ACCOUNT_MESSAGES, ACCOUNT_LINES, ACCOUNT_KINDS };

/* Unused entries are zero, so that names compare as memory. */
struct account_names { char name[ACCOUNT_NAMES][ACCOUNT_NAME_SIZE]; uint32_t count; };

struct account {
    struct account      *next;
    struct account_names names;          /* none: without TLS */
    uint32_t             connections;
    bool                 is_owner;       /* at this machine: the user whose process it is, or root */
    int64_t              ends_s;         /* when its certificate ends, since 1970; 0: it has none */
    bool                 is_named;       /* as one that takes too much */
    double               messages, bytes, lines;         /* left */
    uint64_t             filled_us, lines_us, left_us;
    size_t               held;
    uint64_t            *device;         /* hashes of names that it has spoken for */
    uint32_t             devices;
    uint64_t             over[ACCOUNT_KINDS];    /* number of ignored items, of each kind */
};

struct accounts { struct account *first; struct account_limits limits; };

void accounts_fini(struct accounts *);

/* Finds the account of a new connection; NULL: it has too many. The account outlives account_leave() for a
 * while. */
struct account *account_enter(struct accounts *, const struct account_names *, uint64_t now_us);
void            account_leave(struct account *, uint64_t now_us);

/* Once a second: forgets accounts without TLS that were left a while ago. */
void accounts_tidy(struct accounts *, uint64_t now_us);

/* May it send this message? */
bool account_take(const struct accounts *, struct account *, size_t length, uint64_t now_us);

/* May a line about it be logged? */
bool account_may_log(const struct accounts *, struct account *, uint64_t now_us);

/* Returns true once per kind of excess, with the line to log. */
bool accounts_news(struct accounts *, char *text, size_t size);

const char *account_name(const struct account *);        /* the first; "": it has none */
bool        account_is(const struct account *, const char *name);        /* is this one of its names? */

/* May it speak for this device: 'host1' for 'host1/mlx5_0'? Without TLS: yes. */
bool account_speaks_for(const struct account *, const char *device);

/* Has it room for this device, among 'max'? */
bool account_has_room(struct account *, uint32_t max, const char *device);

#endif
