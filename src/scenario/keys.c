/* src/scenario/keys.c - the keys of all sections but those of kinds of topology and traffic, which have their own. */
#include "scenario/keys.h"

#include "traffic/kind.h"

#include <assert.h>
#include <string.h>

static const struct section_key general_keys[] = {
    { "model",    "name",  "nic",   "`nic`: as real NICs and switches; `hpcc`, `conweave`: as these ns-3 forks" },
    { "order",    "name",  "model", "order of simultaneous events. `node`: by age, then node, the same for any number of threads; `ns3`: the fork's (default of `hpcc` and `conweave`, and only there)" },
    { "seed",     "count", "1",     "random seed; in order `ns3` the fork's RngRun (hpcc) or RANDOM_SEED (conweave)" },
    { "interval", "time",  "1ms",   "monitor interval: one report and one line of intervals.csv each. Default without monitor and tuner: 256 to 512 intervals per run" },
    { "run",      "time",  "",      "end of the run; default: when the last flow is done. Endless traffic needs it, or a `stop`" },
    { "cc",       "map",   "dcqcn", "congestion control: a name (`anole list cc`) or the keys below. `swift`, `rttcc` and `rlcc` need model nic; conweave has DCQCN alone. In models hpcc and conweave `dcqcn` means `dcqcn_hpcc`" },
    { "nic",      "name",  "model", "named NIC with all its DCQCN knobs (`anole list nic`); `knobs` override it. nvidia (nic); the fork's (hpcc, conweave)" },
    { "rlcc",     "map",   "trees", "policy of `cc: rlcc`: a model, or the keys below" },
    { "lb",       "map",   "ecmp",  "load balancing: a name (`anole list lb`) or the keys below. Its options are knobs" },
    { "fidelity", "map",   "packet", "`packet`: simulate every packet; `fast`: skip repeated phases (docs/model.md); or the keys below" },
    { "hpcc",     "file",  "",      "a config file of the HPCC or the ConWeave ns-3 fork, instead of `topology` and `traffic`" },
    { "topology", "map",   "",      "hosts, switches and links" },
    { "host",     "map",   "",      "NICs and their transport" },
    { "switch",   "map",   "",      "buffers, PFC, ECN and classes" },
    { "knobs",    "map",   "",      "knob values by name: docs/knobs.md" },
    { "changes",  "list",  "",      "knobs that change during the run" },
    { "monitor",  "map",   "",      "monitor of flow sizes: a name (`anole list monitor`), a list, or the keys below. The tuner sees the first. With a tuner, default `paraleon`" },
    { "tuner",    "map",   "",      "sets knobs during the run: a name (`anole list tuner`), or the keys below and options" },
    { "traffic",  "list",  "",      "traffic entries" },
    { 0 },
};

static const struct section_key lb_keys[] = {
    { "kind",     "name",   "ecmp",  "which" },
    { "weighted", "yes/no", "model", "weight paths by capacity where links differ in speed or are down: `yes` (nic), `no` (hpcc)" },
    { "seed",     "count",  "0",     "other paths for the same flows; 0: hashes are salted by switch number" },
    { "entropy",  "name",   "qp",    "what the hash uses besides addresses: `qp`: the queue pair (its UDP source port, or E-ECMP); `host`: nothing. Model nic only" },
    { 0 },
};

static const struct section_key cc_keys[] = {
    { "kind",   "name", "dcqcn", "which" },
    { "others", "list", "",      "hosts with another control, for flows they send. Model nic only" },
    { 0 },
};

static const struct section_key cc_others_keys[] = {
    { "kind",  "name", "", "which. Not allowed with others: `hpcc`, `hpcc_pint`, `dcqcn_plus`; `dctcp` with controls that use CNPs" },
    { "hosts", "list", "", "which; a count means the first" },
    { 0 },
};

static const struct section_key rlcc_keys[] = {
    { "model", "name",  "trees", "`trees`, `exported`, `mlp`, `int8`, `lstm`, or a file of `anole train rlcc` (docs/rlcc.md)" },
    { "range", "share", "",      "a decision multiplies the rate by 1/(1 + range) to 1 + range; nets only. Default: the model's" },
    { 0 },
};

static const struct section_key fidelity_keys[] = {
    { "kind",  "name",  "packet", "`packet` or `fast`. Fast needs model nic without monitor, tuner, `record_gaps` and HF2T; one thread" },
    { "error", "share", "1%",     "fast: largest allowed error of an iteration's time or a flow's rate" },
    { 0 },
};

static const struct section_key monitor_keys[] = {
    { "kind",       "list",   "",        "name or names" },
    { "tau",        "bytes",  "1000000", "bytes from which a flow is an elephant" },
    { "delta",      "count",  "3",       "intervals in a row after which a smaller flow is a potential elephant" },
    { "share",      "name",   "size",    "weight of a potential elephant: `size`: bytes sent / tau; `sigmoid`: 1 / (1 + e^-n) after n intervals; `artifact`: the same plus a whole mouse" },
    { "heavy",      "bytes",  "150KiB",  "size of the sketch's buckets at each ToR" },
    { "light",      "bytes",  "450KiB",  "size of its shared counters" },
    { "heavy_only", "yes/no", "no",      "do not count flows without an entry, as PARALEON" },
    { "bins",       "yes/no", "no",      "also count flows in 32 size bins; implied by `bins: log` of a tuner" },
    { "sample",     "count",  "100",     "netflow: one packet in so many is sampled" },
    { "export",     "time",   "1s",      "netflow: export period" },
    { "requests",   "count",  "1024",    "host: entries of each host's table of work requests" },
    { 0 },
};

static const struct section_key tuner_keys[] = {
    { "kind",   "name",   "",   "which; its options are further keys" },
    { "start",  "time",   "0",  "start time" },
    { "monitor_delay", "time", "0", "delay of its reports" },
    { "dispatch_delay", "time", "0", "delay of its settings; it does not see intervals that began before they take effect" },
    { "record", "yes/no", "no", "write each queue and its setting to queues.csv (per-queue tuners such as acc)" },
    { 0 },
};

static const struct section_key topology_keys[] = {
    { "kind",       "name",  "",  "which of the kinds below" },
    { "loss",       "share", "0", "packet loss of links without their own" },
    { "ber",        "share", "0", "bit error rate of links without their own; a packet with a wrong bit is lost" },
    { "links_down", "list",  "",  "links that fail" },
    { "link_rates", "list",  "",  "links with other rates" },
    { 0 },
};

static const struct section_key topology_graph_links_keys[] = {
    { "a",     "name",  "",        "one end" },
    { "b",     "name",  "",        "the other end" },
    { "rate",  "rate",  "100Gbps", "1Gbps .. 1.6Tbps" },
    { "delay", "time",  "1us",     "one way, more than 0, up to 4ms" },
    { "loss",  "share", "",        "packet loss; default: the topology's" },
    { "ber",   "share", "",        "bit error rate; default: the topology's" },
    { 0 },
};

static const struct section_key topology_links_down_keys[] = {
    { "a",     "name",  "", "one end" },
    { "b",     "name",  "", "the other end" },
    { "down",  "time",  "", "time of failure: frames on the wire are lost, routes change" },
    { "up",    "time",  "", "time of recovery; default: never" },
    { "which", "count", "", "one of several parallel links, from 0; default: all" },
    { 0 },
};

static const struct section_key topology_link_rates_keys[] = {
    { "a",     "name",  "", "one end" },
    { "b",     "name",  "", "the other end" },
    { "rate",  "rate",  "", "of both directions" },
    { "which", "count", "", "one of several parallel links, from 0; default: all" },
    { 0 },
};

static const struct section_key host_keys[] = {
    { "mtu",            "bytes",  "model",     "payload of a full packet, 64 .. 9000: 1024 (nic), 1000 (hpcc, conweave)" },
    { "ack_every",      "count",  "1",         "packets per ACK; the last is always acknowledged; in nic also one that closes a window. `mlx5`: 256, as Linux sets ConnectX" },
    { "ack_unpaused",   "yes/no", "model",     "PFC does not stop a host's ACKs: no (nic), yes (hpcc, conweave)" },
    { "ack_class",      "name",   "model",     "class of ACKs and NACKs: a number, or `data`: the flow's. data (nic, hpcc), 0 (conweave: highest priority, not in buffers)" },
    { "nack_gap",       "time",   "model",     "least time between NACKs for the same byte: 100us (nic), 500us (hpcc), 4us (conweave)" },
    { "nack_is_cnp",    "yes/no", "model",     "a NACK also acts as a CNP: yes (nic, conweave), no (hpcc)" },
    { "retransmit",     "name",   "go_back_n", "retransmission: `go_back_n` or `selective`" },
    { "reorder",        "time",   "100us",     "selective: a packet counts as lost after missing for one to two times this; 0: at once" },
    { "rto",            "time",   "model",     "retransmission time-out; `auto`: by the network (model.md); 0: none. auto (nic), 4ms (conweave), 0 or, where links fail or lose packets, 4ms (hpcc)" },
    { "window",         "bytes",  "none",      "largest number of unacknowledged bytes; `none`, or `bdp`: rate x round-trip time of the longest path" },
    { "window_by_rate", "yes/no", "no",        "the window shrinks with the flow's rate" },
    { "idle_reset",     "time",   "never",     "a persistent queue pair that was idle for so long restarts its congestion control; `never`: it keeps its rate" },
    { "record_gaps",    "yes/no", "no",        "write gaps between packets of a flow to gaps.csv" },
    { 0 },
};

static const struct section_key switch_keys[] = {
    { "asic",          "name",   "",        "named chip (`anole list asic`): its buffer, and alpha where known; explicit values override it. Refused if links exceed its bandwidth" },
    { "buffer",        "bytes",  "model",   "shared by all ports: 32MB (nic), 32MiB (hpcc), 9MiB (conweave)" },
    { "reserve",       "bytes",  "4096",    "reserved per port; 2096 (conweave)" },
    { "resume_offset", "bytes",  "3072",    "resume when a queue is this far below the pause threshold; no effect in conweave" },
    { "pause_time",    "time",   "model",   "lifetime of a pause, which is repeated after half of it; `none`: until resumed. none (nic, hpcc), 5us, repeated only by arriving packets (conweave)" },
    { "headroom",      "bytes",  "auto",    "per port, for packets that arrive after a pause. `auto`: both directions of the wire and four packets (nic), 3 x rate x delay (hpcc), both directions and two packets (conweave)" },
    { "alpha",         "share",  "0.125",   "share of the free buffer that a class of an ingress port may take before a pause; a power of 1/2. Doubles with each doubling of speed over the hosts'. 1/16 at any speed (conweave)" },
    { "lossless",      "yes/no", "yes",     "yes: PFC; no: packets are dropped" },
    { "lossy",         "list",   "",        "classes without PFC; default: those that only tcp uses" },
    { "lossy_alpha",   "share",  "1",       "lossy: share of the free buffer that one queue may take" },
    { "lossy_queue",   "bytes",  "none",    "lossy: limit of one queue, next to `lossy_alpha`" },
    { "ecn",           "yes/no", "yes",     "mark packets" },
    { "ecn_at",        "name",   "dequeue", "queue that decides on a mark: behind the packet (`dequeue`) or before it (`enqueue`)" },
    { "strict",        "list",   "model",   "strict-priority classes: [6] (nic: CNPs), [0] (hpcc, conweave)" },
    { "weights",       "list",   "",        "weights of the eight classes, 1 .. 255; default: all 1" },
    { "ecn_by_rate",   "list",   "",        "thresholds by port speed; other ports use the knobs" },
    { "ecn_by_class",  "list",   "",        "thresholds by class at all ports; knobs do not change them" },
    { 0 },
};

static const struct section_key switch_ecn_by_class_keys[] = {
    { "class", "count", "", "0 .. 7" },
    { "kmin",  "bytes", "", "as the knob; a plain number is KB" },
    { "kmax",  "bytes", "", "as the knob; equal to `kmin` as in DCTCP: mark everything above" },
    { "pmax",  "share", "", "as the knob" },
    { 0 },
};

static const struct section_key switch_ecn_by_rate_keys[] = {
    { "rate", "rate",  "", "of the ports" },
    { "kmin", "bytes", "", "as the knob; a plain number is KB" },
    { "kmax", "bytes", "", "as the knob" },
    { "pmax", "share", "", "as the knob" },
    { 0 },
};

static const struct section_key changes_keys[] = {
    { "at",    "time", "", "time; later than the previous change" },
    { "knobs", "map",  "", "knobs that change; others keep their current value" },
    { 0 },
};

const struct scenario_section scenario_sections[] = {
    { "", general_keys },
    { "cc", cc_keys },
    { "cc others", cc_others_keys },
    { "rlcc", rlcc_keys },
    { "lb", lb_keys },
    { "fidelity", fidelity_keys },
    { "monitor", monitor_keys },
    { "tuner", tuner_keys },
    { "topology", topology_keys },
    { "topology graph links", topology_graph_links_keys },
    { "topology links_down", topology_links_down_keys },
    { "topology link_rates", topology_link_rates_keys },
    { "host", host_keys },
    { "switch", switch_keys },
    { "switch ecn_by_class", switch_ecn_by_class_keys },
    { "switch ecn_by_rate", switch_ecn_by_rate_keys },
    { "changes", changes_keys },
    { "traffic", traffic_keys },
    { NULL, NULL },
};

const struct section_key *scenario_keys(const char *section)
{
    const struct scenario_section *s = scenario_sections;

    while (s->name && strcmp(s->name, section) != 0)
        s++;
    assert(s->name);
    return s->keys;
}

struct section scenario_open(struct reader *r, const struct yaml_node *map, const char *name)
{
    return section_open(r, map, &(struct section){ .name = name, .common = scenario_keys(name) });
}
