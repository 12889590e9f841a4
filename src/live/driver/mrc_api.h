/* src/live/driver/mrc_api.h - the part of MRC's controller interface 1.0.1 that the driver uses.
 *
 * MRC (OCP's Multipath Reliable Connection) has a library of the vendor's for applications and for one
 * controller per host. It is loaded at run time, so nothing of it is needed to build or to start. These
 * declarations are our own: only the names of functions, the numbers and the layout of arguments are those
 * of the library, and assertions below fix the layout.
 *
 * Functions return 0, or -1 and set errno.
 */
#ifndef LIVE_DRIVER_MRC_API_H
#define LIVE_DRIVER_MRC_API_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MRC_NSCC "uet-1.0-nscc"  /* the algorithm whose parameters have a public definition */

struct ibv_context;
struct ibv_device;
struct mrc_context;

enum { MRC_INIT, MRC_OFFLINE, MRC_ONLINE };              /* states of a profile */

enum {                           /* what a device can do beyond the minimum: bits of mrc_device.can */
    MRC_CAN_SET_PATHS_ONLINE = 1, MRC_CAN_SET_CONTROL_ONLINE = 2, MRC_CAN_PROBE = 32,
};

struct mrc_device {
    uint32_t versions;
    struct {
        uint32_t formats_max, profiles_max, count_max, count_free, count_max_per_profile, count_align;
        uint32_t width_max, format_modes, modes, operation_max;
    } path;
    struct {
        uint32_t           profiles_max;
        const char *const *algorithms;                   /* NULL-terminated; the library's */
    } control;
    uint32_t ports;              /* bit n: port n */
    uint32_t can;
};

/* A profile of congestion control. */
enum { MRC_CONTROL_STATE = 1, MRC_CONTROL_STATE_NOW = 2, MRC_CONTROL_ALGORITHM = 4, MRC_CONTROL_CONFIG = 8 };

struct mrc_control {
    int         state, state_now;
    const char *algorithm;
    void       *config;          /* struct mrc_nscc */
    uint8_t     vendor[128];
};

struct mrc_nscc {
    uint8_t  disable_qa;
    uint32_t adjust_bytes, adjust_period_ns, base_rtt_ns;
    float    eta, fi, fi_scale, gamma, max_md_jump;
    uint32_t max_cwnd_bytes;
    uint8_t  qa_gate;
    uint32_t qa_threshold_ns, target_delay_ns;
};

/* Paths. The standard's word is entropy value: bits that switches hash, and the port it leaves by. */
#define MRC_PATH_BYTES 32

enum { MRC_PATH_GOOD = 1, MRC_PATH_ASSUMED_BAD = 2, MRC_PATH_DENIED = 4 };
enum { MRC_MODE_AUTO = 1, MRC_MODE_EXPLICIT = 2, MRC_MODE_GENERATED = 4 };
enum { MRC_PATHS_REPLACE, MRC_PATHS_SET_STATE, MRC_PATHS_GET_STATE, MRC_PATHS_GET_ALL };
enum {
    MRC_PATHS_STATE_NOW = 2, MRC_PATHS_MODE = 4, MRC_PATHS_FORMAT = 8, MRC_PATHS_COUNT = 16,
    MRC_PATHS_MIN_ACTIVE = 32, MRC_PATHS_OPERATION = 128,
};

struct mrc_path { uint8_t value[MRC_PATH_BYTES], port; };       /* ports count from 1 */

struct mrc_path_entry {
    struct mrc_path path, other;
    int             state;
    uint32_t        flags;
};

struct mrc_paths {
    int      state, state_now, mode;
    uint64_t format;             /* number of its format profile */
    uint32_t count, min_active;
    int      event_mask;
    struct { int what; struct mrc_path_entry *entry; int count; } operation;
    struct { int what; void *field; int count; } fields;
    uint8_t  vendor[128];
};

enum { MRC_FORMAT_MODE = 4 };

struct mrc_format {
    int     state, state_now, mode;
    struct { int what; void *field; int count; } fields;
    uint8_t vendor[128];
};

/* Probes. */
struct mrc_gid { _Alignas(8) uint8_t byte[16]; };

struct mrc_probe {
    uint16_t        number;
    struct mrc_gid  from, to;
    int             format_mode;
    struct mrc_path path;
    uint32_t        unused;      /* of another operation */
};

struct mrc_reply {
    uint16_t     number;
    uint8_t      port;
    unsigned int rtt_ns;
    uint8_t      is_net;         /* without the time that the other end took */
};

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(offsetof(struct mrc_device, control) == 48 && offsetof(struct mrc_device, can) == 68 &&
               sizeof(struct mrc_device) == 72, "device");
_Static_assert(offsetof(struct mrc_control, vendor) == 24 && sizeof(struct mrc_control) == 152, "control");
_Static_assert(offsetof(struct mrc_paths, operation) == 40 && sizeof(struct mrc_paths) == 216, "paths");
_Static_assert(sizeof(struct mrc_format) == 168, "format");
#endif
_Static_assert(offsetof(struct mrc_nscc, max_cwnd_bytes) == 36 && sizeof(struct mrc_nscc) == 52, "NSCC");
_Static_assert(sizeof(struct mrc_path) == 33 && offsetof(struct mrc_path_entry, state) == 68 &&
               sizeof(struct mrc_path_entry) == 76, "path");
_Static_assert(offsetof(struct mrc_probe, path) == 44 && sizeof(struct mrc_probe) == 88, "probe");
_Static_assert(offsetof(struct mrc_reply, rtt_ns) == 4 && sizeof(struct mrc_reply) == 12, "reply");

/* The functions that are called: X(name in the library, field, result, arguments). Functions on a profile
 * take its number. */
#define MRC_ON(type) (struct mrc_context *, uint64_t number, type *, int what)
#define MRC_FUNCTIONS(X) \
    X(ibv_get_device_list, list_devices, struct ibv_device **, (int *count)) \
    X(ibv_free_device_list, free_devices, void, (struct ibv_device **)) \
    X(ibv_get_device_name, name_of, const char *, (struct ibv_device *)) \
    X(ibv_open_device, open_device, struct ibv_context *, (struct ibv_device *)) \
    X(ibv_close_device, close_device, int, (struct ibv_context *)) \
    X(mrc_ctl_query_version, get_version, void, \
      (uint32_t *now, uint32_t *oldest, uint32_t *vendor, uint32_t *vendor_oldest)) \
    X(mrc_create_context, create, struct mrc_context *, (struct ibv_context *, const uint32_t version[2])) \
    X(mrc_destroy_context, destroy, int, (struct mrc_context *)) \
    X(mrc_ctl_query_device_ex, get_device, int, \
      (struct ibv_context *, struct mrc_context *, struct mrc_device *, int *is_supported)) \
    X(mrc_ctl_query_cc_profile, get_control, int, MRC_ON(struct mrc_control)) \
    X(mrc_ctl_modify_cc_profile, set_control, int, MRC_ON(struct mrc_control)) \
    X(mrc_ctl_query_ev_profile, get_paths, int, MRC_ON(struct mrc_paths)) \
    X(mrc_ctl_modify_ev_profile, set_paths, int, MRC_ON(struct mrc_paths)) \
    X(mrc_ctl_query_ev_fmt_profile, get_format, int, MRC_ON(struct mrc_format)) \
    X(mrc_ctl_ep_batch_send_wait, probe, int, \
      (struct mrc_context *, uint8_t dscp, int kind, struct mrc_probe *, int count, uint32_t timeout_ns, \
       struct mrc_reply *, int *replies))

#define MRC_VERSION 0x01000001u  /* 1.0.1: what these declarations are for */

struct mrc_api {
    void *library, *verbs;       /* verbs: NULL if the library brings those functions along */
#define FIELD(symbol, name, result, arguments) result (*name) arguments;
    MRC_FUNCTIONS(FIELD)
#undef FIELD
};

/* The GID of an IP address: RoCEv2 writes 10.0.0.1 as ::ffff:10.0.0.1. False: the text is no address. */
bool mrc_gid_parse(struct mrc_gid *, const char *text);

/* Loads the library by its name or path. If it is missing or of another version, the message is one line. */
int  mrc_api_open(struct mrc_api *, const char *library, struct err *);
void mrc_api_close(struct mrc_api *);

#endif
