/* src/study/scenario/reference.c - docs/scenario.md, printed from the tables of keys. */
#include "study/scenario/reference.h"

#include "study/scenario/keys.h"
#include "study/scenario/topology.h"
#include "work/traffic/cdf.h"
#include "work/traffic/kind.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- all keys ---- */

static void show_rows(key_shower *show, void *arg, const char *section, const char *kind,
                      const struct key_row *row)
{
    char title[64];

    snprintf(title, sizeof title, "%s%s%s", section, *kind ? " " : "", kind);
    for (; row->name; row++)
        show(arg, title, row);
}

void scenario_each_key(key_shower *show, void *arg)
{
    for (const struct scenario_section *s = scenario_sections; s->name; s++) {
        show_rows(show, arg, s->name, "", s->keys);
        if (strcmp(s->name, "topology") == 0)
            for (const struct topology_kind *k = topology_kinds; k->name; k++)
                show_rows(show, arg, "topology", k->name, k->keys);
    }
    for (int i = 0; traffic_all[i]; i++)
        show_rows(show, arg, "traffic", traffic_all[i]->name, traffic_all[i]->keys);
}

/* ---- docs/scenario.md ---- */

static void print_section(FILE *out, int level, const char *title, const char *section)
{
    fprintf(out, "\n%.*s %s\n", level, "####", title);
    key_print_markdown(out, scenario_keys(section));
}

/* Prints the description of a kind as a sentence, and its keys. */
static void print_kind(FILE *out, const char *section, const char *name, const char *about,
                       const struct key_row *keys)
{
    fprintf(out, "\n### %s: %s\n\n%c%s.\n", section, name, toupper((unsigned char)*about), about + 1);
    key_print_markdown(out, keys);
}

static void print_traffic(FILE *out)
{
    for (int i = 0; traffic_all[i]; i++)
        print_kind(out, "traffic", traffic_all[i]->name, traffic_all[i]->about, traffic_all[i]->keys);
    for (int i = 0; traffic_all[i]; i++)
        if (traffic_all[i]->print_more)
            traffic_all[i]->print_more(out);
}

static const char intro[] =
    "# Scenario files\n"
    "\n"
    "<!-- Printed by `anole list key --markdown`. -->\n"
    "\n"
    "A scenario is a YAML file with a network, its settings and its traffic. Values carry units. Errors are "
    "reported before\n"
    "anything runs, with `file:line:column` and the nearest valid name. YAML anchors, aliases and tags are "
    "refused. Examples\n"
    "are in `scenarios/`.\n"
    "\n"
    "```yaml\n"
    "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4, rate: 100Gbps, delay: 1us}\n"
    "knobs: {kmin: 400KB, kmax: 1600KB, pmax: 20%}\n"
    "traffic:\n"
    "  - {kind: poisson, sizes: FB_Hadoop, load: 0.3, of: bisection, stop: 5ms}\n"
    "  - {kind: incast, senders: 32, size: 256KB, start: 2ms}\n"
    "```\n"
    "\n"
    "Each key has its kind of value and its initial value in parentheses:\n"
    "\n"
    "- time: `5us`, `1.5ms`, `200ns`; ps, ns, us, ms, s\n"
    "- rate: `100Gbps`, `25G`; bps, Kbps, Mbps, Gbps, Tbps\n"
    "- bytes: `1500`, `64KB`, `32MiB`; B, KB, MB, GB, TB (1000), KiB, MiB, GiB, TiB (1024)\n"
    "- count: a whole number\n"
    "- share: `0.3` or `30%`\n"
    "- yes/no: `yes`, `no`, `true`, `false`, `on`, `off`\n"
    "- file: a path, relative to the scenario\n"
    "\n"
    "Hosts are named `h0`, `h1`, ...; node numbers work too. `--set KEY=VALUE` sets a knob (`--set "
    "kmin=200KB`), a key\n"
    "(`--set run=5ms`), or a path, with list entries from 0 (`--set traffic.0.load=50%`).\n";

static const char hpcc_text[] =
    "\n"
    "## hpcc: a config of a fork\n"
    "\n"
    "`hpcc: config.txt` takes network, flows, ECN maps, buffer and DCQCN parameters from a config of the "
    "HPCC ns-3 fork;\n"
    "`TOPOLOGY_FILE` and `FLOW_FILE` are relative to it. The model is hpcc, or conweave for a config with "
    "`LB_MODE`, which also\n"
    "gives balancer and seed unless the scenario does. `topology` and `traffic` are not allowed; other keys "
    "override the config.\n"
    "`LINK_DOWN` becomes a failing link; `SIMULATOR_STOP_TIME` is ignored: a run ends when its flows are "
    "done.\n";

static const char htsim_text[] =
    "\n"
    "Model htsim needs this section, and allows only `model` and `seed` next to it. Defaults are "
    "uet-htsim's, except that\nits seed is 13. `anole convert` writes the section from a command line of "
    "htsim_uec. docs/uet.md describes the model.\n";

static const char models_text[] =
    "\n"
    "## Initial knobs of the models\n"
    "\n"
    "Model nic: docs/knobs.md. Model hpcc: `rpg_ai_rate` 5 Mbps and `rpg_hai_rate` 50 Mbps per 25 Gbps of "
    "the first host link,\n"
    "`rpg_min_rate` 1000 Mbps, `dce_tcp_g` 1020 (g = 1/256); `kmin` 100 KB and `kmax` 400 KB per 25 Gbps of "
    "a port, `pmax` 0.2.\n"
    "Model conweave: 10, 25 and 100 Mbps, the same g; 100 KB, 400 KB and 0.2 at any speed. If `knobs` names "
    "one of the three\n"
    "thresholds, the knobs apply to all ports. Frame sizes and other differences are in docs/model.md.\n";

static const char load_text[] =
    "\n"
    "A load counts payload, without headers; docs/model.md has the formulas of `of: hosts` and `of: "
    "bisection`. For rpc the hosts\n"
    "are the clients, the destinations the servers. A host whose poisson and rpc traffic together exceeds "
    "its link is refused.\n"
    "\n"
    "Built-in tables of sizes:";

void scenario_print_reference(FILE *out)
{
    fputs(intro, out);
    print_section(out, 2, "General keys", "");
    fputs(hpcc_text, out);
    print_section(out, 2, "cc", "cc");
    print_section(out, 3, "cc: others", "cc others");
    print_section(out, 2, "rlcc", "rlcc");
    print_section(out, 2, "lb", "lb");
    print_section(out, 2, "fidelity", "fidelity");
    print_section(out, 2, "topology", "topology");
    for (const struct topology_kind *k = topology_kinds; k->name; k++)
        print_kind(out, "topology", k->name, k->about, k->keys);
    print_section(out, 4, "links of a graph", "topology graph links");
    print_section(out, 3, "topology: links_down", "topology links_down");
    print_section(out, 3, "topology: link_rates", "topology link_rates");
    print_section(out, 2, "host", "host");
    print_section(out, 2, "switch", "switch");
    print_section(out, 3, "switch: ecn_by_rate", "switch ecn_by_rate");
    print_section(out, 3, "switch: ecn_by_class", "switch ecn_by_class");
    print_section(out, 2, "htsim", "htsim");
    fputs(htsim_text, out);
    print_section(out, 2, "changes", "changes");
    fprintf(out, "\nChanges of kmin, kmax and pmax apply to all ports, those of `ecn_by_rate` included.\n");
    print_section(out, 2, "monitor", "monitor");
    print_section(out, 2, "tuner", "tuner");
    print_section(out, 2, "traffic", "traffic");
    print_traffic(out);
    fprintf(out, "\n### traffic: loads and sizes\n");
    fputs(load_text, out);
    for (int i = 0; cdf_names[i]; i++)
        fprintf(out, "%s `%s`", i ? "," : "", cdf_names[i]);
    fprintf(out, ".\n");
    fputs(models_text, out);
}
