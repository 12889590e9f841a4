/* src/study/twin/host_record.h - what `anole record` wrote on a host, or `ethtool -S` printed: counters,
 * settings, symptoms.
 *
 * The table `time_s,device,name,value` has rows info.* (what the host is), setting.* (what its NICs are set
 * to) and counter.* (at each sample). Raw output of `ethtool -S`, with a line that holds a time before each
 * block, is read as the counters of one device.
 */
#ifndef STUDY_TWIN_HOST_RECORD_H
#define STUDY_TWIN_HOST_RECORD_H

#include "base/err.h"
#include "core/knobs.h"

#include <stdio.h>

#define HOST_NAME_BYTES 64

struct host_point { double at_s; uint64_t value; };

struct host_counter {
    char     name[HOST_NAME_BYTES];
    double   first_s, last_s;
    uint64_t last;               /* last reading */
    uint64_t grown;              /* since the first reading, without resets */
    uint64_t largest;
    uint32_t readings, points_max;
    struct host_point *point;    /* all readings; only for counters of sent bytes */
};

struct host_device {
    char                 name[HOST_NAME_BYTES], netdev[HOST_NAME_BYTES];
    uint64_t             rate_bps;           /* 0: unknown */
    bool                 has_settings;
    struct knob_set      setting;            /* readable knobs, in their units */
    struct host_counter *counter;
    uint32_t             counters;
};

struct host_record {
    char                host[HOST_NAME_BYTES];   /* "": unknown */
    struct host_device *device;
    uint32_t            devices;
    double              seconds;             /* from the first to the last sample */
    bool                has_ethtool;         /* pauses and discards were readable */
    char               *sent;                /* bytes sent by device, for recorded_counters() */
    size_t              sent_bytes;
};

/* Recognizes such a file by its first lines. */
bool host_record_is(const char *text, size_t bytes);

/* Filled only on success. */
int  host_record_read(struct host_record *, const char *name, const char *text, size_t bytes, struct err *);
void host_record_fini(struct host_record *);

/* Returns the most common link speed; 0: unknown. */
uint64_t host_record_rate(const struct host_record *);

/* Prints the symptoms that counters show, a line each: "mlx5_0: ...". Returns how many. */
uint32_t host_record_print_symptoms(const struct host_record *, FILE *);

#endif
