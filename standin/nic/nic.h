/* standin/nic/nic.h - a stand-in for a ConnectX port: the sysfs and debugfs files of the mlx5 driver,
 * with their behavior on reads and writes. docs/live.md has the contract: what is known about real ones, and
 * what is assumed.
 *
 * It is a model over (clock, path, text) and independent of file systems; nic_mount.c mounts it through FUSE.
 */
#ifndef STANDIN_NIC_NIC_H
#define STANDIN_NIC_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NIC_PATH_SIZE 160
#define NIC_TEXT_SIZE 4096
#define NIC_NODES_MAX 256
#define NIC_LOG_SIZE  65536

/* whose driver; a virtual function; debugfs locked down */
enum nic_flavour { NIC_OFED, NIC_INBOX, NIC_VF, NIC_LOCKED, NIC_FLAVOURS };
/* their names, NULL-terminated */
extern const char *const nic_flavours[];

enum nic_kind {
    NIC_FOLDER, NIC_LINK, NIC_FIXED, NIC_PARAMETER, NIC_ENABLE, NIC_COUNTER, NIC_HW_COUNTER, NIC_ETHTOOL,
    NIC_CONTROL, NIC_LOG,
};

struct nic_node { char path[NIC_PATH_SIZE]; enum nic_kind kind; uint32_t index; char text[96];
                  unsigned mode; };

enum { NIC_PARAMETERS = 19, NIC_COUNTERS = 2, NIC_HW_COUNTERS = 8 };

struct nic {
    enum nic_flavour flavour;
    struct nic_node  node[NIC_NODES_MAX];
    uint32_t         nodes;
    int64_t          value[NIC_PARAMETERS];
    bool             enabled[2][8];
    uint64_t         junk;                       /* stands for uninitialized memory of the driver */

    uint64_t         rate_bytes_s;               /* traffic */
    uint64_t         begun_us, bytes;            /* start of that rate; bytes before it */
    uint64_t         feed_bytes, feed_us;        /* in addition: bytes spread evenly over this time */
    uint32_t         mbps;                       /* of the port */
    /* current values; the snapshot that readers see */
    uint64_t         hw[NIC_HW_COUNTERS], shown[NIC_HW_COUNTERS];
    uint64_t         shown_us;
    uint64_t         pause_us, discards, storms; /* of priority 3 */
    bool             has_pfc;
    int              fail_read, fail_write;      /* errno of parameters; 0: none */
    bool             is_gone;                    /* the driver is being loaded again */

    char             log[NIC_LOG_SIZE];          /* every write to a parameter: "path text" per line */
    size_t           log_length;
};

void nic_init(struct nic *, enum nic_flavour, uint32_t mbps, uint64_t now_us);

/* NULL: there is no such file. A path begins with '/'. */
const struct nic_node *nic_find(const struct nic *, const char *path);

/* What a read of the whole file gives: its length, or a negative errno. 'text' has room for NIC_LOG_SIZE. */
long nic_read(struct nic *, const struct nic_node *, char *text, uint64_t now_us);

/* One write(): 0, or a negative errno. To 'control', for tests: "traffic BYTES_PER_S", "feed BYTES US" (so
 * many, evenly, from now on), "set NAME VALUE" (a foreign edit), "add COUNTER N", "pause US", "discard N",
 * "pfc 0|1", "fail read|write ERRNO", "reload", "gone 0|1". */
int nic_write(struct nic *, const struct nic_node *, const char *text, size_t length, uint64_t now_us);

#endif
