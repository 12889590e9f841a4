/* src/live/daemon/config/live_config.h - the configuration files of agents, relays and controllers: YAML,
 * with the errors of scenarios. */
#ifndef LIVE_DAEMON_CONFIG_LIVE_CONFIG_H
#define LIVE_DAEMON_CONFIG_LIVE_CONFIG_H

#include "base/err.h"
#include "base/reader.h"
#include "core/option.h"
#include "core/tuning_goal.h"
#include "base/http/http_config.h"
#include "live/agent/agent.h"
#include "live/controller/controller.h"
#include "live/driver/driver.h"
#include "live/daemon/lease/lease.h"
#include "live/links/jobs.h"
#include "live/view/upkeep.h"
#include "live/links/links.h"
#include "live/wire/tls/secure.h"
#include "tune/loop.h"

#include <stdio.h>

/* Are the names and options of two tuners the same? */
bool config_tuner_is_same(const struct loop_request *, const struct loop_request *);

#define CONFIG_OPERATORS_MAX 16
#define CONFIG_RELAYS_MAX    256
#define CONFIG_FLOWS_FROM_MAX 64
#define CONFIG_CONTROLLERS_MAX 8
#define CONFIG_WAYS_MAX       (4 + CONFIG_CONTROLLERS_MAX)

struct config_common {
    char              *file, *name, *state;
    struct rpc_tls     tls;
    uint64_t           interval_us;
    struct http_config http;
};

struct agent_file {
    struct config_common common;
    char                *way[CONFIG_WAYS_MAX];   /* addresses: relays, then the controllers of a cell */
    uint32_t             ways, relays;           /* so many of the ways are relays */
    char                *root, *freeze;          /* freeze: a file; while it is there nothing is written */
    const struct driver *driver;
    char                 device[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];
    uint32_t             devices;                /* 0: all devices */
    struct loop_request  tuner;                  /* of queues; of switches; kind NULL: none */
    uint32_t             queue_changes;          /* per second; 0: the driver's default */
    uint64_t             queue_hold_us;          /* after a guardrail queues are left alone for so long */
    struct agent_config  agent;
};

struct controller_file {
    struct config_common     common;
    char                    *listen;
    /* who may send requests, by what they may do: names in certificates */
    char                    *client[GATE_RIGHTS][CONFIG_OPERATORS_MAX];
    uint32_t                 clients[GATE_RIGHTS];
    /* relays that may speak for agents: names in certificates */
    char                    *relay[CONFIG_RELAYS_MAX];
    uint32_t                 relays;
    uint32_t                 devices_max;
    char                    *socket;             /* for operators here; NULL: where ctl looks for it */
    uint32_t                 agent_devices, agent_messages;      /* of one certificate; messages per second */
    bool                     is_brief;           /* collect: tuning */
    const char              *record;             /* no key: --record of the program */
    uint64_t                 monitor_delay_us;   /* lock step: reports reach the tuner so much later */
    struct loop_request      tuner, learner;     /* kind NULL: none; learner: of switches */
    struct goal              goal;               /* of the tuner */
    /* address for flow records of switches; NULL: disabled */
    char                    *flows;
    char                    *flows_from[CONFIG_FLOWS_FROM_MAX];
    uint32_t                 flows_senders;
    uint64_t                 flows_window_us;
    char                    *prometheus, *prometheus_match;      /* its address; labels; NULL: none */
    char                    *fabric;             /* a scenario that describes the network; NULL: unknown */
    uint64_t                 think_us;           /* CPU time that a search on a twin may take */
    struct links             links;              /* of the file 'topology' */
    struct job_list          jobs;
    struct inventory         inventory;
    struct lease_config      etcd;                               /* no endpoints: it is alone */
    struct controller_config controller;
};

struct relay_file {
    struct config_common common;
    char                *listen;                 /* address */
    /* addresses: of one cell; one of them answers */
    char                *controller[CONFIG_CONTROLLERS_MAX];
    uint32_t             controllers;
    uint64_t             interval_us, silence_us;
};

int config_find_driver(const struct driver **out, const char *name, struct err *);

/* A kind of file. Its struct begins with struct config_common. */
struct config_kind {
    size_t bytes;
    void (*fill)(struct reader *, const struct yaml_node *root, void *file);
    void (*fini)(void *file);                    /* of all but the common part */
};
extern const struct config_kind config_agent, config_controller, config_relay;

/* Reads a file. 'driver': of an agent; NULL: the one that the file names. On failure nothing is held. */
int  config_read(const struct config_kind *, void *file, const char *path, const struct driver *,
                 struct err *);
void config_fini(const struct config_kind *, void *file);

/* A key that differs between two files although it cannot change while a process runs; NULL: none. */
const char *config_fixed_key(const struct config_kind *, const void *new, const void *old);

/* Whether the HTTP server may stay open: the same settings, and no files whose contents may have changed. */
bool config_http_is_same(const struct http_config *, const struct http_config *);

/* docs/live_keys.md */
void config_print_reference(FILE *);

#endif
