/* src/study/scenario/keys.c - the keys of all sections, except those of kinds of topology and traffic. */
#include "study/scenario/keys.h"

#include "core/units.h"
#include "study/scenario/scenario.h"
#include "work/traffic/kind.h"

#include <assert.h>
#include <string.h>

#define BUFFER_BYTES_MAX UINT32_MAX          /* accounts of a queue are 32 bits wide */
#define ACK_EVERY_MLX5   256u                /* Linux sets log_ack_req_freq of mlx5 to 8 */

static const char *const retransmits[] = { "go_back_n", "selective", NULL };
static const char *const ecn_places[] = { "dequeue", "enqueue", NULL };
static const char *const entropies[] = { "qp", "host", NULL };
static const char *const shares[] = { "size", "sigmoid", "artifact", NULL };     /* enum flow_share */

static const struct key_row general_keys[] = {
    { "model",    KEY_NAME, "nic",   "`nic`: as real NICs and switches; `hpcc`, `conweave`: as these ns-3 "
      "forks; `uet`: Ultra Ethernet; `htsim`: Ultra Ethernet as uet-htsim" },
    { "order",    KEY_NAME, "model", "order of simultaneous events. `node`: by age, then node, the same for "
      "any number of threads; `ns3`: the fork's (default of `hpcc` and `conweave`, and only there)" },
    { "seed",     KEY_COUNT, "1",     "random seed; in order `ns3` the fork's RngRun (hpcc) or RANDOM_SEED "
      "(conweave)", KEY_AT(struct scenario, cfg.seed) },
    { "interval", KEY_TIME, "1ms",   "monitor interval: one report and one line of intervals.csv each. "
      "Default without monitor and tuner: 256 to 512 intervals per run", KEY_AT(struct scenario, interval_ps),
      PS_PER_US, KEY_TIME_PS_MAX },
    { "run",      KEY_TIME, "",      "end of the run; default: when the last flow is done. Endless traffic "
      "needs it, or a `stop`", KEY_AT(struct scenario, run_ps), 1, KEY_TIME_PS_MAX },
    { "cc",       KEY_MAP, "dcqcn", "congestion control: a name (`anole list cc`) or the keys below. "
      "`swift`, `nscc`, `rttcc` and `rlcc` need model nic; conweave has DCQCN alone. In models hpcc and "
      "conweave `dcqcn` means `dcqcn_hpcc`. Model uet: `nscc` (default), `rccc`, `nscc_rccc` or "
      "`nscc_dctcp`" },
    { "nic",      KEY_NAME, "model", "named NIC with all its DCQCN knobs (`anole list nic`); `knobs` "
      "override it. nvidia (nic); the fork's (hpcc, conweave)" },
    { "rlcc",     KEY_MAP, "trees", "policy of `cc: rlcc`: a model, or the keys below" },
    { "lb",       KEY_MAP, "ecmp",  "load balancing: a name (`anole list lb`) or the keys below. Its "
      "options are knobs. Default of model uet: `mixed`" },
    { "fidelity", KEY_MAP, "packet", "`packet`: simulate every packet; `fast`: skip those of lone flows "
      "(docs/model.md); or the keys below" },
    { "hpcc",     KEY_FILE, "",      "a config file of the HPCC or the ConWeave ns-3 fork, instead of "
      "`topology` and `traffic`" },
    { "htsim",    KEY_MAP, "",      "model htsim: files and options of uet-htsim, instead of all other "
      "sections" },
    { "topology", KEY_MAP, "",      "hosts, switches and links" },
    { "host",     KEY_MAP, "",      "NICs and their transport" },
    { "switch",   KEY_MAP, "",      "buffers, PFC, ECN and classes" },
    { "knobs",    KEY_MAP, "",      "knob values by name: docs/knobs.md" },
    { "changes",  KEY_LIST, "",      "knobs that change during the run" },
    { "monitor",  KEY_MAP, "",      "monitor of flow sizes: a name (`anole list monitor`), a list, or the "
      "keys below. The tuner sees the first. With a tuner, default `paraleon`" },
    { "goal",     KEY_NAME, "", "what tuners, `anole advise` and `anole compare` minimise, and whom they "
      "must not harm, such as `p99_slowdown of mice, class_bound=3%`; default: `iteration_time` "
      "(docs/advise.md)" },
    { "tuner",    KEY_MAP, "",      "sets knobs during the run: a name (`anole list tuner`), or the keys "
      "below and options" },
    { "traffic",  KEY_LIST, "",      "traffic entries" },
    { 0 },
};

static const struct key_row lb_keys[] = {
    { "kind",     KEY_NAME, "ecmp",  "which" },
    { "weighted", KEY_YES,  "model", "weight paths by capacity where links differ in speed or are down: "
      "`yes` (nic), `no` (hpcc)", KEY_AT(struct sim_cfg, lb_weighted) },
    { "seed",     KEY_COUNT, "0",     "other paths for the same flows; 0: hashes are salted by switch "
      "number", KEY_AT(struct sim_cfg, lb_seed) },
    { "entropy",  KEY_NAME, "qp",    "what the hash uses besides addresses: `qp`: the queue pair (its UDP "
      "source port, or E-ECMP); `host`: nothing. Model nic only", KEY_AT(struct sim_cfg, lb_by_host),
      .choices = entropies },
    { 0 },
};

static const struct key_row cc_keys[] = {
    { "kind",   KEY_NAME, "dcqcn", "which" },
    { "others", KEY_LIST, "", "hosts with another control, for flows they send; in model uet, classes whose "
      "flows are queue pairs of RoCE" },
    { 0 },
};

static const struct key_row cc_others_keys[] = {
    { "kind",  KEY_NAME, "", "which. Not allowed with others: `hpcc`, `hpcc_pint`, `dcqcn_plus`; `dctcp` "
      "with controls that use CNPs" },
    { "hosts", KEY_LIST, "", "which; a count means the first. Model nic" },
    { "classes", KEY_LIST, "", "which, in model uet" },
    { 0 },
};

static const struct key_row rlcc_keys[] = {
    { "model", KEY_NAME, "trees", "`trees`, `exported`, `mlp`, `int8`, `lstm`, `int8_lstm`, or a file of "
      "`anole train rlcc` (docs/rlcc.md)" },
    { "range", KEY_REAL, "",      "a decision multiplies the rate by 1/(1 + range) to 1 + range; nets only. "
      "Default: the model's" },
    { 0 },
};

static const struct key_row fidelity_keys[] = {
    { "kind", KEY_NAME, "packet", "`packet` or `fast`" },
    { "seeds", KEY_COUNT, "", "`anole run` with `fast`: seeds whose spread makes the interval of exposed "
      "communication; 1: no interval. Default: 2 to 5, as many as together take no longer than all packets and have a "
      "thousand million events at most", KEY_AT(struct scenario, fast_seeds), 1, 100 },
    { 0 },
};

static const struct key_row monitor_keys[] = {
    { "kind",       KEY_LIST, "",        "name or names" },
    { "tau",        KEY_BYTES, "1000000", "bytes from which a flow is an elephant",
      KEY_AT(struct monitor_cfg, states.tau_bytes), 1, UINT32_MAX },
    { "delta",      KEY_COUNT, "3",       "intervals in a row after which a smaller flow is a potential "
      "elephant", KEY_AT(struct monitor_cfg, states.delta), 1, FLOWSTATE_RUN_MAX - 1 },
    { "share",      KEY_NAME, "size",    "weight of a potential elephant: `size`: bytes sent / tau; "
      "`sigmoid`: 1 / (1 + e^-n) after n intervals; `artifact`: the same plus a whole mouse",
      KEY_AT(struct monitor_cfg, states.share), .choices = shares },
    { "heavy",      KEY_BYTES, "150KiB",  "size of the sketch's buckets at each ToR",
      KEY_AT(struct monitor_cfg, sketch.heavy_bytes), 64, 1u << 30 },
    { "light",      KEY_BYTES, "450KiB",  "size of its shared counters",
      KEY_AT(struct monitor_cfg, sketch.light_bytes), 2, 1u << 30 },
    { "heavy_only", KEY_YES,  "no",      "do not count flows without an entry, as PARALEON",
      KEY_AT(struct monitor_cfg, heavy_only) },
    { "bins",       KEY_YES,  "no",      "also count flows in 32 size bins",
      KEY_AT(struct monitor_cfg, states.with_bins) },
    { "sample",     KEY_COUNT, "100",     "netflow: one packet in this many is sampled",
      KEY_AT(struct monitor_cfg, netflow_one_in), 1, 1u << 30 },
    { "export",     KEY_TIME, "1s",      "netflow: export period",
      KEY_AT(struct monitor_cfg, netflow_export_ps), 1, KEY_TIME_PS_MAX },
    { "requests",   KEY_COUNT, "1024",    "host: entries of each host's table of work requests",
      KEY_AT(struct monitor_cfg, host_requests), 1, 1u << 24 },
    { 0 },
};

static const struct key_row tuner_keys[] = {
    { "kind",   KEY_NAME, "",   "which; its options are further keys", .is_needed = true },
    { "start",  KEY_TIME, "0",  "start time", KEY_AT(struct scenario_tuner, start_ps) },
    { "monitor_delay", KEY_TIME, "0", "delay of its reports",
      KEY_AT(struct scenario_tuner, monitor_delay_ps) },
    { "dispatch_delay", KEY_TIME, "0", "delay of its settings; it does not see intervals that began before "
      "they take effect", KEY_AT(struct scenario_tuner, dispatch_delay_ps) },
    { "record", KEY_YES,  "no", "write each queue and its setting to queues.csv (per-queue tuners such as "
      "acc)", KEY_AT(struct scenario_tuner, is_recorded) },
    { 0 },
};

static const struct key_row topology_keys[] = {
    { "kind",       KEY_NAME, "",  "which of the kinds below" },
    { "loss",       KEY_REAL, "0", "packet loss of links without their own", KEY_AT(struct graph_link, loss),
      0, 0.999999 },
    { "ber",        KEY_REAL, "0", "bit error rate of links without their own; a packet with a wrong bit is "
      "lost", KEY_AT(struct graph_link, ber), 0, 0.999999 },
    { "links_down", KEY_LIST, "",  "links that fail" },
    { "link_rates", KEY_LIST, "",  "links with other rates" },
    { 0 },
};

static const struct key_row topology_graph_links_keys[] = {
    { "a",     KEY_NAME, "",        "one end" },
    { "b",     KEY_NAME, "",        "the other end" },
    { "rate",  KEY_RATE, "100Gbps", "1Gbps .. 1.6Tbps", KEY_AT(struct graph_link, rate_bps) },
    { "delay", KEY_TIME, "1us",     "one way, more than 0, up to 4ms", KEY_AT(struct graph_link, delay_ps) },
    { "loss",  KEY_REAL, "",        "packet loss; default: the topology's", KEY_AT(struct graph_link, loss),
      0, 0.999999 },
    { "ber",   KEY_REAL, "",        "bit error rate; default: the topology's", KEY_AT(struct graph_link, ber),
      0, 0.999999 },
    { 0 },
};

static const struct key_row topology_links_down_keys[] = {
    { "a",     KEY_NAME, "", "one end" },
    { "b",     KEY_NAME, "", "the other end" },
    { "down",  KEY_TIME, "", "time of failure: frames on the wire are lost, routes change" },
    { "up",    KEY_TIME, "", "time of recovery; default: never" },
    { "which", KEY_COUNT, "", "one of several parallel links, from 0; default: all" },
    { 0 },
};

static const struct key_row topology_link_rates_keys[] = {
    { "a",     KEY_NAME, "", "one end" },
    { "b",     KEY_NAME, "", "the other end" },
    { "rate",  KEY_RATE, "", "of both directions" },
    { "which", KEY_COUNT, "", "one of several parallel links, from 0; default: all" },
    { 0 },
};

static const struct key_row host_keys[] = {
    { "mtu",            KEY_BYTES, "model",     "payload of a full packet, 64 .. 9000: 1024 (nic), 1000 "
      "(hpcc, conweave), 4096 (uet)", KEY_AT(struct sim_cfg, mtu_bytes), 64, 9000 },
    { "ack_every",      KEY_COUNT, "1", "packets per ACK (uet: 4); the last is always acknowledged; in nic "
      "also one that closes a window. `mlx5`: 256, as Linux sets ConnectX", KEY_AT(struct sim_cfg, ack_every),
      1, 1024, .words = KEY_WORDS({ "mlx5", ACK_EVERY_MLX5 }) },
    { "ack_unpaused",   KEY_YES,  "model",     "PFC does not stop a host's ACKs: no (nic), yes (hpcc, "
      "conweave)", KEY_AT(struct sim_cfg, ack_unpaused) },
    { "ack_class",      KEY_NAME, "model",     "class of ACKs and NACKs: a number, or `data`: the flow's. "
      "data (nic, hpcc), 0 (conweave: highest priority, not in buffers)" },
    { "nack_gap",       KEY_TIME, "model",     "least time between NACKs for the same byte: 100us (nic), "
      "500us (hpcc), 4us (conweave)", KEY_AT(struct sim_cfg, nack_gap_ps) },
    { "nack_is_cnp",    KEY_YES,  "model",     "a NACK also acts as a CNP: yes (nic, conweave), no (hpcc)",
      KEY_AT(struct sim_cfg, nack_is_cnp) },
    { "retransmit",     KEY_NAME, "go_back_n", "retransmission: `go_back_n` or `selective`",
      KEY_AT(struct sim_cfg, is_selective), .choices = retransmits },
    { "sleek",          KEY_YES,  "no",        "model uet without trimming: SLEEK, loss recovery by gaps and "
      "probes instead of time-outs alone", KEY_AT(struct sim_cfg, is_sleek) },
    { "reorder",        KEY_TIME, "100us",     "selective: a packet counts as lost after missing for one to "
      "two times this; 0: at once", KEY_AT(struct sim_cfg, reorder_ps) },
    { "rto",            KEY_TIME, "model",     "retransmission time-out; `auto`: by the network (model.md); "
      "0: none. auto (nic), 4ms (conweave), 0 (hpcc), in order node 4ms where links fail or lose packets",
      KEY_AT(struct sim_cfg, rto_ps), .words = KEY_WORDS({ "auto", RTO_AUTO }) },
    { "window",         KEY_BYTES, "none",      "largest number of unacknowledged bytes; `none`, or `bdp`: "
      "rate x round-trip time of the longest path", KEY_AT(struct sim_cfg, window_bytes), 1, 1ull << 48,
      .words = KEY_WORDS({ "none", 0 }, { "bdp", UINT64_MAX }) },
    { "window_by_rate", KEY_YES,  "no",        "the window shrinks with the flow's rate",
      KEY_AT(struct sim_cfg, window_by_rate) },
    { "idle_reset",     KEY_TIME, "never",     "a persistent queue pair that was idle this long restarts "
      "its congestion control; `never`: it keeps its rate" },
    { "tx_fifo",        KEY_BYTES, "0", "model nic: a NIC chooses packets this many bytes ahead of the wire, "
      "in each class; what is posted later waits behind them", KEY_AT(struct sim_cfg, tx_fifo_bytes), 0,
      1u << 30 },
    { "turn",           KEY_BYTES, "0", "with tx_fifo: bytes that a queue pair sends in its turn; 0: a "
      "packet", KEY_AT(struct sim_cfg, turn_bytes), 0, 1u << 30 },
    { "pcie",           KEY_RATE, "none", "with tx_fifo: rate at which data comes out of memory; `none`: at "
      "once", KEY_AT(struct sim_cfg, pcie_bps), .words = KEY_WORDS({ "none", 0 }) },
    { "drain",          KEY_RATE, "none", "model nic: rate at which a host takes data in, as on the wire; "
      "`none`: at once", KEY_AT(struct sim_cfg, drain_bps), .words = KEY_WORDS({ "none", 0 }) },
    { "drain_hosts",    KEY_LIST, "",
      "with drain: hosts that are so slow; a count: the first; default: all" },
    { "rx_buffer",      KEY_BYTES, "256KB", "with drain: a host that holds more of a class sends PFC, or "
      "drops what is lossy", KEY_AT(struct sim_cfg, rx_buffer_bytes), 1, 1u << 30 },
    { "receives",       KEY_COUNT, "0", "posted on each queue pair for SENDs (`verb: send`); 0: always "
      "enough", KEY_AT(struct sim_cfg, receives), 0, 65535 },
    { "repost",         KEY_TIME, "0", "with receives: until a receive that was taken is posted again",
      KEY_AT(struct sim_cfg, repost_ps) },
    { "rnr_timer",      KEY_TIME, "640us",     "with receives: how long a sender waits after an RNR NACK",
      KEY_AT(struct sim_cfg, rnr_ps) },
    { "record_gaps",    KEY_YES,  "no",        "write gaps between packets of a flow to gaps.csv",
      KEY_AT(struct sim_cfg, record_gaps) },
    { 0 },
};

static const struct key_row switch_keys[] = {
    { "asic",          KEY_NAME, "", "named chip (`anole list asic`): its buffer, and alpha, `latency` and "
      "`cut_through` where known; explicit values override it. Refused if links exceed its bandwidth" },
    { "buffer",        KEY_BYTES, "model",   "shared by all ports: 32MB (nic), 32MiB (hpcc), 9MiB "
      "(conweave)", KEY_AT(struct sim_cfg, buffer_bytes), 1, BUFFER_BYTES_MAX },
    { "cut_through",   KEY_YES,  "no", "model nic: send a frame on when its first 64 bytes have come, unless "
      "the switch has a port that is faster", KEY_AT(struct sim_cfg, is_cut_through) },
    { "latency",       KEY_TIME, "0", "model nic: time of a frame through the chip, besides that on wires",
      KEY_AT(struct sim_cfg, chip_ps), 0, 100000000 },
    { "reserve",       KEY_BYTES, "4096",    "reserved per port; 2096 (conweave)",
      KEY_AT(struct sim_cfg, reserve_bytes), 0, 1u << 30 },
    { "resume_offset", KEY_BYTES, "3072",    "resume when a queue is this far below the pause threshold; no "
      "effect in conweave", KEY_AT(struct sim_cfg, resume_bytes), 0, 1u << 30 },
    { "pause_time",    KEY_TIME, "model",   "lifetime of a pause, which is repeated after half of it; "
      "`none`: until resumed. none (nic, hpcc), 5us, repeated only by arriving packets (conweave)",
      KEY_AT(struct sim_cfg, pause_ps), .words = KEY_WORDS({ "none", 0 }) },
    { "headroom",      KEY_BYTES, "auto",    "per port, for packets that arrive after a pause. `auto`: both "
      "directions of the wire and four packets (nic), 3 x rate x delay (hpcc), both directions and two "
      "packets (conweave)", KEY_AT(struct sim_cfg, headroom_bytes), 1, UINT32_MAX,
      .words = KEY_WORDS({ "auto", 0 }) },
    { "alpha",         KEY_REAL, "0.125",   "share of the free buffer that a class of an ingress port may "
      "take before a pause; a power of 1/2. Doubles with each doubling of speed over the hosts'. 1/16 at "
      "any speed (conweave)" },
    { "trim",          KEY_YES,  "model",   "model uet: a packet that finds no room in its queue loses its "
      "payload, not its header: yes; no: it is dropped. Knob `trim`: the limit of the queue",
      KEY_AT(struct sim_cfg, has_trim) },
    { "trim_size",     KEY_BYTES, "model",   "model uet: what is left of a trimmed packet: 64",
      KEY_AT(struct sim_cfg, trim_bytes), 40, 1024 },
    { "header_class",  KEY_COUNT, "model", "model uet: class of trimmed packets and answers, before all "
      "others: 7", KEY_AT(struct sim_cfg, head_prio), 0, PRIOS - 1 },
    { "lossless",      KEY_YES,  "yes", "yes: PFC; no: packets are dropped, also the default of model uet",
      KEY_AT(struct sim_cfg, is_lossless) },
    { "lossy",         KEY_LIST, "",        "classes without PFC; default: those that only tcp uses" },
    { "lossy_alpha",   KEY_REAL, "1",       "lossy: share of the free buffer that one queue may take",
      KEY_AT(struct sim_cfg, lossy_alpha), 0.001, 1000 },
    { "lossy_queue",   KEY_BYTES, "none",    "lossy: limit of one queue, next to `lossy_alpha`",
      KEY_AT(struct sim_cfg, lossy_queue_bytes), 1, UINT32_MAX, .words = KEY_WORDS({ "none", 0 }) },
    { "ecn",           KEY_YES,  "yes",     "mark packets", KEY_AT(struct sim_cfg, ecn_on) },
    { "ecn_at",        KEY_NAME, "dequeue", "queue that decides on a mark: behind the packet (`dequeue`) or "
      "before it (`enqueue`)", KEY_AT(struct sim_cfg, ecn_at_enqueue), .choices = ecn_places },
    { "ecn_cell",      KEY_BYTES, "none", "model nic: marking counts a queue and its thresholds in cells of "
      "this size; `asic`: those of the chip", KEY_AT(struct sim_cfg, ecn_cell_bytes), 16, 65535,
      .words = KEY_WORDS({ "none", 0 }, { "asic", ECN_CELL_OF_ASIC }) },
    { "ecn_lag",       KEY_TIME, "0", "model nic: marking sees the length that the queue had so long ago",
      KEY_AT(struct sim_cfg, ecn_lag_ps), 0, 1000000000 },
    { "strict",        KEY_LIST, "model", "strict-priority classes: [6] (nic: CNPs), [0] (hpcc, conweave)" },
    { "weights",       KEY_LIST, "",        "weights of the eight classes, 1 .. 255; default: all 1" },
    { "ecn_by_rate",   KEY_LIST, "",        "thresholds by port speed; other ports use the knobs" },
    { "ecn_by_class",  KEY_LIST, "",        "thresholds by class at all ports; knobs do not change them" },
    { 0 },
};

static const struct key_row switch_ecn_by_class_keys[] = {
    { "class", KEY_COUNT, "", "0 .. 7" },
    { "kmin",  KEY_BYTES, "", "as the knob; a plain number is KB" },
    { "kmax",  KEY_BYTES, "", "as the knob; equal to `kmin` as in DCTCP: mark everything above" },
    { "pmax",  KEY_REAL, "", "as the knob" },
    { 0 },
};

static const struct key_row switch_ecn_by_rate_keys[] = {
    { "rate", KEY_RATE, "", "of the ports" },
    { "kmin", KEY_BYTES, "", "as the knob; a plain number is KB" },
    { "kmax", KEY_BYTES, "", "as the knob" },
    { "pmax", KEY_REAL, "", "as the knob" },
    { 0 },
};

static const struct key_row changes_keys[] = {
    { "at",    KEY_TIME, "", "time; later than the previous change" },
    { "knobs", KEY_MAP, "", "knobs that change; others keep their current value" },
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
    { "htsim", scenario_htsim_keys },
    { "traffic", traffic_keys },
    { NULL, NULL },
};

const struct key_row *scenario_keys(const char *section)
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
