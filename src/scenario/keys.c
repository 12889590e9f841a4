/* src/scenario/keys.c - the keys of all sections but those of kinds of topology and traffic, which have their own. */
#include "scenario/keys.h"

#include "traffic/kind.h"

#include <assert.h>
#include <string.h>

static const struct section_key general_keys[] = {
    { "model",    "name",  "nic",   "`nic`: frames and exact times of real NICs and switches; `hpcc`: as the HPCC ns-3 fork computes it; `conweave`: as the ConWeave ns-3 fork does" },
    { "order",    "name",  "model", "what comes first of two events at the same time. `node`: the older, then by node, so that no division of the work changes a result; `ns3`: the order of the fork, for equal results (`hpcc` and `conweave` only, and their default)" },
    { "seed",     "count", "1",     "of all random numbers; in order `ns3` the fork's RngRun (hpcc) or its RANDOM_SEED (conweave)" },
    { "interval", "time",  "1ms",   "of monitoring: what monitors and tuners are shown, a line of intervals.csv each. Without it pictures, and without monitor and tuner intervals.csv too, have 256 to 512 points" },
    { "run",      "time",  "",      "end of the run; without it the run ends when the last flow is done, so traffic that goes on needs a `stop`" },
    { "cc",       "map",   "dcqcn", "congestion control: a name, see `anole list cc`, which tells the knobs of each, or the keys below. `swift`, `rttcc` and `rlcc` need the model nic, and conweave has DCQCN alone. In the models hpcc and conweave `dcqcn` means `dcqcn_hpcc`, the forks'" },
    { "nic",      "name",  "model", "NICs that have a name, and with it all of their DCQCN knobs: see `anole list nic`. `knobs` come on top. nvidia (nic); what the fork has (hpcc, conweave)" },
    { "rlcc",     "map",   "trees", "what the control `rlcc` decides by: a model, or the keys below; other controls pass it over" },
    { "lb",       "map",   "ecmp",  "load balancing: a name, see `anole list lb`, or the keys below; what a balancer can be told are knobs" },
    { "fidelity", "map",   "packet", "`packet`: every packet is followed; `fast`: what repeats is skipped, see docs/model.md; or the keys below" },
    { "hpcc",     "file",  "",      "a config file of the HPCC or the ConWeave ns-3 fork, instead of `topology` and `traffic`" },
    { "topology", "map",   "",      "hosts, switches and links" },
    { "host",     "map",   "",      "NICs and their transport" },
    { "switch",   "map",   "",      "buffers, PFC, ECN and classes" },
    { "knobs",    "map",   "",      "what can be tuned, by name: see docs/knobs.md" },
    { "changes",  "list",  "",      "knobs that change during the run" },
    { "monitor",  "map",   "",      "how flow sizes are seen: the name of a monitor, a list of them, or the keys below; see `anole list monitor`. The first is the one that a tuner is shown. A tuner brings `paraleon` if there is none" },
    { "tuner",    "map",   "",      "what sets knobs while the run goes on: a name, or the keys below and options; see `anole list tuner`" },
    { "traffic",  "list",  "",      "who sends what to whom, and when" },
    { 0 },
};

static const struct section_key lb_keys[] = {
    { "kind",     "name",   "ecmp",  "which" },
    { "weighted", "yes/no", "model", "where links between switches differ in speed or are down, paths are taken in proportion to what they carry: `yes` (nic), `no` (hpcc)" },
    { "seed",     "count",  "0",     "other numbers, other paths for the same flows; with 0 the hash of a switch is salted by its number" },
    { "entropy",  "name",   "qp",    "what tells flows apart in a hash beside addresses: `qp`: every queue pair has a UDP source port of its own, or the switch hashes its number (E-ECMP), which comes to the same; `host`: nothing, all queue pairs between two hosts go one way. In model nic" },
    { 0 },
};

static const struct section_key cc_keys[] = {
    { "kind",   "name", "dcqcn", "which" },
    { "others", "list", "",      "hosts whose NICs have another one; in model nic. A flow is controlled by its sender" },
    { 0 },
};

static const struct section_key cc_others_keys[] = {
    { "kind",  "name", "", "which. Packets and receivers are the same for all flows, so telemetry in headers (`hpcc`, `hpcc_pint`), marks in ACKs (`dctcp`) beside CNPs, and CNPs in turn (`dcqcn_plus`) do not go with controls that work otherwise" },
    { "hosts", "list", "", "which; a count means the first" },
    { 0 },
};

static const struct section_key rlcc_keys[] = {
    { "model", "name",  "trees", "one that is part of the program, `trees`, `exported`, `mlp`, `int8` or `lstm`, or a file that `anole train rlcc` has written; see docs/rlcc.md" },
    { "range", "share", "",      "a decision multiplies the rate by 1/(1 + range) to 1 + range; of nets, and as the model has it without this" },
    { 0 },
};

static const struct section_key fidelity_keys[] = {
    { "kind",  "name",  "packet", "`packet` or `fast`. Fast needs the model nic, and no monitor, tuner, `record_gaps` or HF2T; it runs on one thread" },
    { "error", "share", "1%",     "fast: by how much the time of an iteration, or the rate of a flow, may be wrong for it; nothing is skipped where more is to be feared" },
    { 0 },
};

static const struct section_key monitor_keys[] = {
    { "kind",       "list",   "",        "names of monitors, or one" },
    { "tau",        "bytes",  "1000000", "a flow that has sent so much is an elephant" },
    { "delta",      "count",  "3",       "a smaller one that has sent something in so many intervals in a row may become one" },
    { "share",      "name",   "size",    "how much of an elephant that is: `size`: what it has sent over tau; `sigmoid`: 1 / (1 + e^-n) after n intervals; `artifact`: the same, and a whole mouse besides" },
    { "heavy",      "bytes",  "150KiB",  "of the sketch's buckets, at each ToR" },
    { "light",      "bytes",  "450KiB",  "of its shared counters" },
    { "heavy_only", "yes/no", "no",      "flows without an entry of their own are not counted, as in PARALEON" },
    { "bins",       "yes/no", "no",      "flows are counted by sizes that double as well, which a tuner with `bins: log` asks for by itself" },
    { "sample",     "count",  "100",     "netflow: packets, of which one is sampled" },
    { "export",     "time",   "1s",      "netflow: how often it tells" },
    { "requests",   "count",  "1024",    "host: places in each host's table of work requests" },
    { 0 },
};

static const struct section_key tuner_keys[] = {
    { "kind",   "name",   "",   "which; its options stand beside it" },
    { "start",  "time",   "0",  "when it begins" },
    { "monitor_delay", "time", "0", "from the end of an interval until it is shown the report" },
    { "dispatch_delay", "time", "0", "from its decision until that is in force; what began before then it is not shown" },
    { "record", "yes/no", "no", "what is seen and set at each egress queue is written to queues.csv; for tuners that set queues slot by slot, as acc" },
    { 0 },
};

static const struct section_key topology_keys[] = {
    { "kind",       "name",  "",  "which of the kinds below" },
    { "loss",       "share", "0", "of packets lost on each link that has no loss of its own" },
    { "ber",        "share", "0", "bit error rate of each link that has none of its own; a packet with a wrong bit is lost" },
    { "links_down", "list",  "",  "links that fail" },
    { "link_rates", "list",  "",  "links that are faster or slower than the others" },
    { 0 },
};

static const struct section_key topology_graph_links_keys[] = {
    { "a",     "name",  "",        "one end" },
    { "b",     "name",  "",        "the other end" },
    { "rate",  "rate",  "100Gbps", "1Gbps .. 1.6Tbps" },
    { "delay", "time",  "1us",     "one way, more than 0, up to 4ms" },
    { "loss",  "share", "",        "of packets; without it as for all links" },
    { "ber",   "share", "",        "bit error rate; without it as for all links" },
    { 0 },
};

static const struct section_key topology_links_down_keys[] = {
    { "a",     "name",  "", "one end" },
    { "b",     "name",  "", "the other end" },
    { "down",  "time",  "", "when it fails: what is on the wire is lost, and routes change" },
    { "up",    "time",  "", "when it works again; without it never" },
    { "which", "count", "", "one of several parallel links, from 0; without it all of them" },
    { 0 },
};

static const struct section_key topology_link_rates_keys[] = {
    { "a",     "name",  "", "one end" },
    { "b",     "name",  "", "the other end" },
    { "rate",  "rate",  "", "of both directions" },
    { "which", "count", "", "one of several parallel links, from 0; without it all of them" },
    { 0 },
};

static const struct section_key host_keys[] = {
    { "mtu",            "bytes",  "model",     "payload of a full packet, 64 .. 9000: 1024 (nic), 1000 (hpcc, conweave)" },
    { "ack_every",      "count",  "1",         "packets per ACK; the last of a flow is always acknowledged. `mlx5`: 256, as Linux sets ConnectX up" },
    { "ack_unpaused",   "yes/no", "model",     "PFC does not stop a host's ACKs: no (nic), yes (hpcc, conweave)" },
    { "ack_class",      "name",   "model",     "class of ACKs and NACKs: a number, or `data`: that of the flow. data (nic, hpcc), 0 (conweave), which is before all others and not counted in buffers there" },
    { "nack_gap",       "time",   "model",     "least time between NACKs for the same byte: 100us (nic), 500us (hpcc), 4us (conweave)" },
    { "nack_is_cnp",    "yes/no", "model",     "a sender takes a NACK for a CNP as well, and cuts its rate: yes (nic, conweave), no (hpcc)" },
    { "retransmit",     "name",   "go_back_n", "what is sent again: `go_back_n`: all from the packet that is missing on; `selective`: what is missing" },
    { "reorder",        "time",   "100us",     "selective: a packet that others have overtaken is taken for lost, and a NACK sent, after it has been missing for one to two of these; 0: at once" },
    { "rto",            "time",   "model",     "silence after which a sender starts again from the last acknowledged byte; `auto`: by the network, see model.md; 0: never. auto (nic), 4ms (conweave); 0, but 4ms where links fail or lose packets (hpcc)" },
    { "window",         "bytes",  "none",      "of bytes a flow may have unacknowledged; `none`, or `bdp`: rate x round-trip time of the longest path" },
    { "window_by_rate", "yes/no", "no",        "the window shrinks with the flow's rate" },
    { "idle_reset",     "time",   "never",     "a queue pair that lives on (see `qps` of traffic) and has been idle for so long begins anew, as if it had just been made, when it gets a message; `never`: it keeps what congestion control has learnt" },
    { "record_gaps",    "yes/no", "no",        "times between two packets of a flow are written to gaps.csv, those of queue pairs and of tcp" },
    { 0 },
};

static const struct section_key switch_keys[] = {
    { "asic",          "name",   "",        "a chip that has a name, see `anole list asic`: its buffer, and alpha where it is known; what is said beside it counts. A switch that is to carry more than the chip does is refused" },
    { "buffer",        "bytes",  "model",   "shared by all ports: 32MB (nic), 32MiB (hpcc), 9MiB (conweave)" },
    { "reserve",       "bytes",  "4096",    "of each port, before it takes from the shared part; 2096 (conweave)" },
    { "resume_offset", "bytes",  "3072",    "how far a queue must fall below the pause threshold before the sender may resume; has no effect in model conweave" },
    { "pause_time",    "time",   "model",   "after which a pause ends by itself if it is not sent again, as it is after half of it; `none`: it lasts until it is taken back. none (nic, hpcc), 5us, and never sent again but for a packet that arrives (conweave)" },
    { "headroom",      "bytes",  "auto",    "of each port, for what arrives after a pause was sent. `auto`: what fits on the wire both ways and four packets (nic), three times rate x delay (hpcc), what fits on the wire both ways and two packets (conweave)" },
    { "alpha",         "share",  "0.125",   "of the free buffer that one class of one ingress port may take before it pauses; a power of 1/2. Doubles with each doubling of speed over the hosts'. 1/16 at any speed (conweave)" },
    { "lossless",      "yes/no", "yes",     "PFC; without it packets are dropped" },
    { "lossy",         "list",   "",        "classes that PFC does not protect, beside lossless ones; without it those that only tcp uses" },
    { "lossy_alpha",   "share",  "1",       "lossy: of the free buffer that one queue may take" },
    { "lossy_queue",   "bytes",  "none",    "lossy: that one queue may take, if `lossy_alpha` does not say less; `none`: no such limit" },
    { "ecn",           "yes/no", "yes",     "packets are marked" },
    { "ecn_at",        "name",   "dequeue", "`dequeue` or `enqueue`: which queue decides on a packet's mark, the one behind it or the one before it" },
    { "strict",        "list",   "model",   "classes that go before all others: [6] (nic: CNPs), [0] (hpcc, conweave)" },
    { "weights",       "list",   "",        "of the eight classes, 1 .. 255, where they are not strict; without it all 1" },
    { "ecn_by_rate",   "list",   "",        "thresholds of ports of a certain speed; other ports use the knobs" },
    { "ecn_by_class",  "list",   "",        "thresholds of certain classes at all ports; they stay when knobs change" },
    { 0 },
};

static const struct section_key switch_ecn_by_class_keys[] = {
    { "class", "count", "", "0 .. 7" },
    { "kmin",  "bytes", "", "as the knob; a plain number is KB" },
    { "kmax",  "bytes", "", "as the knob; the same as `kmin`, as DCTCP has it: all that meets a longer queue is marked" },
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
    { "at",    "time", "", "when; later than the change before" },
    { "knobs", "map",  "", "those that change, wherever they are set; the others stay as they are then, also as a tuner has set them" },
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
