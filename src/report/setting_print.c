/* src/report/setting_print.c - a setting in the names, units and ranges of devices.
 *
 * Some devices react badly to invalid values: some versions of the mlx5 driver pass them on to the firmware,
 * and SONiC's orchagent exits at an unknown word. So this code prints only whole numbers in the documented
 * ranges.
 */
#include "report/setting_print.h"
#include "base/minmax.h"
#include "base/file/outfile.h"
#include "core/knob_text.h"
#include "version.h"

#include <math.h>
#include <stdbool.h>

static void print_comment(const char *text, FILE *out)
{
    bool is_start = true;

    for (; *text; text++) {
        if (is_start)
            fputs(*text == '\n' ? "#" : "# ", out);
        is_start = *text == '\n';
        /* Replaces characters of a name that would end the comment. */
        fputc(*text == '\n' || (unsigned char)*text >= ' ' ? *text : '?', out);
    }
    if (!is_start)
        fputc('\n', out);
}

void setting_print_yaml(const struct knobs *knobs, const char *about, FILE *out)
{
    struct knobs base;

    knobs_init(&base);
    print_comment("A setting of anole " ANOLE_VERSION ": what differs from the default.\n", out);
    print_comment(about, out);
    knobs_print_yaml(knobs, &base, out);
}

int setting_write_yaml(const char *path, const struct knobs *knobs, const char *about, struct err *err)
{
    struct outfile out;
    int            rc = outfile_open(&out, path, err);

    if (rc)
        return rc;
    setting_print_yaml(knobs, about, out.stream);
    return outfile_end(&out, 0, err);
}

/* ---- mlx5 ---- */

/* Ranges of the device, where they are narrower than ours. */
static const struct mlx5_file {
    const char *folder;
    double      min, max;
    enum knob   knob;
    bool        is_quiet;        /* per class: printed only if it is not the default */
} mlx5_files[] = {
    { "roce_rp", 0,  1,      KNOB_clamp_tgt_rate,                false },
    { "roce_rp", 0,  1,      KNOB_clamp_tgt_rate_after_time_inc, false },
    { "roce_rp", 1,  131071, KNOB_rpg_time_reset,                false },
    { "roce_rp", 0,  32767,  KNOB_rpg_byte_reset,                false },
    { "roce_rp", 0,  31,     KNOB_rpg_threshold,                 false },
    { "roce_rp", 0,  800000, KNOB_rpg_max_rate,                  false },
    { "roce_rp", 1,  131071, KNOB_rpg_ai_rate,                   false },
    { "roce_rp", 1,  131071, KNOB_rpg_hai_rate,                  false },
    { "roce_rp", 10, 11,     KNOB_rpg_gd,                        false },
    { "roce_rp", 1,  100,    KNOB_rpg_min_dec_fac,               false },
    { "roce_rp", 1,  131071, KNOB_rpg_min_rate,                  false },
    { "roce_rp", 0,  800000, KNOB_rate_to_set_on_first_cnp,      false },
    { "roce_rp", 1,  131071, KNOB_rate_reduce_monitor_period,    false },
    { "roce_rp", 1,  1023,   KNOB_dce_tcp_g,                     false },
    { "roce_rp", 1,  131071, KNOB_dce_tcp_rtt,                   false },
    { "roce_rp", 1,  1023,   KNOB_initial_alpha_value,           false },
    { "roce_np", 0,  131071, KNOB_min_time_between_cnps,         false },
    { "roce_np", 0,  63,     KNOB_cnp_dscp,                      true },
    { "roce_np", 0,  7,      KNOB_cnp_802p_prio,                 true },
};

#define MLX5_FILES (sizeof(mlx5_files) / sizeof(*mlx5_files))

static bool is_default(const struct knobs *k, enum knob knob)
{
    return k->value[knob] == knob_info[knob].initial;
}

static void print_mlx5_file(const struct knobs *k, const struct mlx5_file *f, FILE *out)
{
    double value = k->value[f->knob], taken = clamp_real(round(value), f->min, f->max);
    char   text[KNOB_TEXT_MAX];

    if (f->is_quiet && is_default(k, f->knob))
        return;
    fprintf(out, "%s/%s %.0f", f->folder, knob_info[f->knob].name, taken);
    if (taken != value)
        fprintf(out, "   # the setting has %s", knob_text(text, f->knob, value));
    fputc('\n', out);
}

/* Bit p of the mask is the file enable/p of both NP and RP. */
static void print_mlx5_enable(const struct knobs *k, FILE *out)
{
    unsigned mask = (unsigned)k->value[KNOB_roce_cc_prio_mask];

    if (is_default(k, KNOB_roce_cc_prio_mask))
        return;
    for (unsigned prio = 0; prio < 8; prio++) {
        fprintf(out, "roce_rp/enable/%u %u\n", prio, mask >> prio & 1);
        fprintf(out, "roce_np/enable/%u %u\n", prio, mask >> prio & 1);
    }
}

static void print_mlx5_rest(const struct knobs *k, FILE *out)
{
    if (!is_default(k, KNOB_roce_cc_cnp_moderation))
        fprintf(out,
                "# roce_cc_cnp_moderation is %.0f in the setting: that is no file but\n"
                "# ROCE_CC_CNP_MODERATION of mlxconfig, which takes effect when the firmware is reset.\n",
                k->value[KNOB_roce_cc_cnp_moderation]);
    if (!is_default(k, KNOB_dce_tcp_g))
        fputs("# dce_tcp_g is meant as the weight of the old alpha. NVIDIA's texts do not agree on its\n"
              "# direction: try it on one port first.\n", out);
    fputs("# What belongs to switches (kmin, kmax, pmax): anole tune --as sonic.\n", out);
}

/* A script is for one link speed. */
static void print_by_speed(const struct knobs *k, const char *what, FILE *out)
{
    if (k->value[KNOB_by_speed] != 0)
        fprintf(out, "# by_speed: this is for links as fast as the fastest host's. For those of other "
                     "speeds %s must be\n"
                "# changed in proportion: a quarter for a link that is a quarter as fast.\n", what);
}

/* What the script does with its rows: first it reads every old value and keeps it in a file, then it
 * writes. If a write fails, it puts everything back, so that no NIC is left with half a setting. */
static const char mlx5_begin[] =
    "set -eu\n"
    "sys=${SYSFS:-/sys}\n"
    "saved=${SAVED:-/var/lib/anole}\n"
    "usage() { echo \"usage: $0 [--undo] INTERFACE...\" >&2; exit 2; }\n"
    "undo=\n"
    "[ \"${1:-}\" != --undo ] || { undo=yes; shift; }\n"
    "[ $# -gt 0 ] || usage\n"
    "\n"
    "rows() {\n"
    "    cat <<'END'\n";

static const char mlx5_end[] =
    "END\n"
    "}\n"
    "\n"
    "# read_number FILE : what is in it; a file without a number is an error.\n"
    "read_number() {\n"
    "    number=$(cat \"$1\") || return 1\n"
    "    case $number in\n"
    "    '' | *[!0-9]*) echo \"$0: $1: '$number' is not a number\" >&2; return 1 ;;\n"
    "    esac\n"
    "    echo \"$number\"\n"
    "}\n"
    "\n"
    "# save PORT : keeps the values that the port has now. Values of an earlier run are older and stay.\n"
    "save() {\n"
    "    [ ! -e \"$saved/mlx5-$1\" ] || return 0\n"
    "    mkdir -p \"$saved\"\n"
    "    rows | while read -r file _; do\n"
    "        old=$(read_number \"$sys/class/net/$1/ecn/$file\") || exit 1\n"
    "        echo \"$file $old\"\n"
    "    done >\"$saved/mlx5-$1.new\" || { rm -f \"$saved/mlx5-$1.new\"; return 1; }\n"
    "    mv \"$saved/mlx5-$1.new\" \"$saved/mlx5-$1\"\n"
    "}\n"
    "\n"
    "# write_rows PORT : writes the rows \"FILE VALUE\" of standard input and reads each value back.\n"
    "write_rows() {\n"
    "    while read -r file value _; do\n"
    "        path=$sys/class/net/$1/ecn/$file\n"
    "        is=$(read_number \"$path\") || return 1\n"
    "        [ \"$is\" != \"$value\" ] || continue\n"
    "        echo \"$value\" >\"$path\" || return 1\n"
    "        is=$(read_number \"$path\") || return 1\n"
    "        [ \"$is\" = \"$value\" ] || { echo \"$0: $path is $is, not $value\" >&2; return 1; }\n"
    "    done\n"
    "}\n"
    "\n"
    "# restore PORT : puts the saved values back, all that can be.\n"
    "restore() {\n"
    "    failed=0\n"
    "    while read -r row; do\n"
    "        echo \"$row\" | write_rows \"$1\" || failed=1\n"
    "    done <\"$saved/mlx5-$1\"\n"
    "    [ \"$failed\" -eq 0 ] || { echo \"$0: $1: not all old values could be restored; they are in "
    "$saved/mlx5-$1\" >&2; return 1; }\n"
    "    rm -f \"$saved/mlx5-$1\"\n"
    "    echo \"$1: old values restored\"\n"
    "}\n"
    "\n"
    "if [ -n \"$undo\" ]; then\n"
    "    status=0\n"
    "    for port in \"$@\"; do\n"
    "        if [ -e \"$saved/mlx5-$port\" ]; then restore \"$port\" || status=1\n"
    "        else echo \"$0: $port: there is nothing to undo in $saved\" >&2; status=1; fi\n"
    "    done\n"
    "    exit \"$status\"\n"
    "fi\n"
    "\n"
    "for port in \"$@\"; do save \"$port\"; done\n"
    "for port in \"$@\"; do\n"
    "    rows | write_rows \"$port\" && { echo \"$port: set; to undo: $0 --undo $port\"; continue; }\n"
    "    echo \"$0: $port: a value was not accepted; putting back what was there\" >&2\n"
    "    for again in \"$@\"; do restore \"$again\" || true; done\n"
    "    exit 1\n"
    "done\n";

bool setting_differs_in_mlx5(const struct knobs *a, const struct knobs *b)
{
    bool differs = a->value[KNOB_roce_cc_prio_mask] != b->value[KNOB_roce_cc_prio_mask];

    for (unsigned i = 0; i < MLX5_FILES; i++)
        differs |= a->value[mlx5_files[i].knob] != b->value[mlx5_files[i].knob];
    return differs;
}

void setting_print_mlx5(const struct knobs *k, const char *about, FILE *out)
{
    fputs("#!/bin/sh\n"
          "# DCQCN for NICs with the mlx5 driver (MLNX_OFED, DOCA). Needs root.\n"
          "#     sh SCRIPT INTERFACE...           sets them, and saves the old values in /var/lib/anole\n"
          "#     sh SCRIPT --undo INTERFACE...    puts the old values back\n"
          "# Takes effect at once, for all flows of a port, until the driver is loaded again.\n",
          out);
    print_comment(about, out);
    print_by_speed(k, "rates", out);
    print_mlx5_rest(k, out);
    fputs(mlx5_begin, out);
    for (unsigned i = 0; i < MLX5_FILES; i++)
        print_mlx5_file(k, &mlx5_files[i], out);
    print_mlx5_enable(k, out);
    fputs(mlx5_end, out);
}

/* ---- SONiC ---- */

#define SONIC_PROFILE   "ANOLE_LOSSLESS"
#define SONIC_BYTES_MAX 2147483647.0

struct wred { double min_bytes, max_bytes, percent; };

/* Switches accept whole percents. A probability above 0 becomes at least 1 %. */
static struct wred wred_of(const struct knobs *k)
{
    double pmax = 100 * k->value[KNOB_pmax];

    return (struct wred){
        .min_bytes = clamp_real(round(1000 * k->value[KNOB_kmin]), 1, SONIC_BYTES_MAX),
        .max_bytes = clamp_real(round(1000 * k->value[KNOB_kmax]), 1, SONIC_BYTES_MAX),
        .percent = pmax > 0 ? clamp_real(round(pmax), 1, 100) : 0,
    };
}

static void print_colour(const struct wred *w, const char *colour, FILE *out)
{
    fprintf(out, "            \"wred_%s_enable\": \"true\",\n"
                 "            \"%s_min_threshold\": \"%.0f\",\n"
                 "            \"%s_max_threshold\": \"%.0f\",\n"
                 "            \"%s_drop_probability\": \"%.0f\",\n",
            colour, colour, w->min_bytes, colour, w->max_bytes, colour, w->percent);
}

static void print_rounding(const struct knobs *k, const struct wred *w, FILE *out)
{
    if (fabs(w->percent - 100 * k->value[KNOB_pmax]) > 1e-9)
        fprintf(out, "# Marking probabilities are whole percents: pmax %.4g becomes %.0f %%.\n",
                k->value[KNOB_pmax], w->percent);
}

static const char sonic_undo[] =
    "\n"
    "# undo OLD_PROFILE : binds it to every queue that has the profile of this script, and removes the "
    "latter.\n"
    "undo() {\n"
    "    [ -n \"$(sonic-db-cli CONFIG_DB KEYS \"WRED_PROFILE|$1\")\" ] || { echo \"$0: there is no profile "
    "'$1'\" >&2; exit 1; }\n"
    "    for queue in $(sonic-db-cli CONFIG_DB KEYS 'QUEUE|*'); do\n"
    "        is=$(sonic-db-cli CONFIG_DB HGET \"$queue\" wred_profile)\n"
    "        [ \"$is\" = " SONIC_PROFILE " ] || continue\n"
    "        sonic-db-cli CONFIG_DB HSET \"$queue\" wred_profile \"$1\" >/dev/null\n"
    "        echo \"$queue: $1\"\n"
    "    done\n"
    "    sonic-db-cli CONFIG_DB DEL 'WRED_PROFILE|" SONIC_PROFILE "' >/dev/null\n"
    "}\n"
    "\n"
    "case ${1:-} in\n"
    "--undo) undo \"${2:?name the profile that queues had before}\"; exit ;;\n"
    "?*) echo \"usage: $0 [--undo OLD_PROFILE]\" >&2; exit 2 ;;\n"
    "esac\n"
    "\n";

void setting_print_sonic(const struct knobs *k, const char *about, FILE *out)
{
    struct wred w = wred_of(k);

    fputs("#!/bin/sh\n"
          "# ECN for switches with SONiC: a WRED profile of its own. Needs root.\n"
          "#     sh SCRIPT                        loads the profile\n"
          "#     sh SCRIPT --undo OLD_PROFILE     gives OLD_PROFILE (often AZURE_LOSSLESS) back to queues "
          "that use it,\n"
          "#                                      and removes it\n"
          "# Nothing uses the profile before a queue is bound to it:\n"
          "#     sonic-db-cli CONFIG_DB HSET 'QUEUE|Ethernet0|3' wred_profile " SONIC_PROFILE "\n"
          "# in the same way for queue 4 and for all ports, or in config_db.json\n"
          "#     \"QUEUE\": {\"Ethernet0|3-4\": {\"wred_profile\": \"" SONIC_PROFILE "\"}}\n"
          "# Gone at the next config reload unless it is saved. PFC must begin to pause at\n"
          "# longer queues than these.\n",
          out);
    print_comment(about, out);
    print_by_speed(k, "thresholds", out);
    print_rounding(k, &w, out);
    fputs("# What belongs to NICs (the rest of the setting): anole tune --as mlx5.\n"
          "set -eu\n", out);
    fputs(sonic_undo, out);
    fputs("file=$(mktemp)\n"
          "trap 'rm -f \"$file\"' EXIT\n"
          "cat >\"$file\" <<'END'\n"
          "{\n"
          "    \"WRED_PROFILE\": {\n"
          "        \"" SONIC_PROFILE "\": {\n", out);
    print_colour(&w, "green", out);
    print_colour(&w, "yellow", out);
    print_colour(&w, "red", out);
    fputs("            \"ecn\": \"ecn_all\"\n"
          "        }\n"
          "    }\n"
          "}\n"
          "END\n"
          "config load -y \"$file\"\n", out);
}

const char *const device_names[] = { "mlx5", "sonic", NULL };

void device_print(enum device device, const struct knobs *knobs, const char *about)
{
    if (device == DEVICE_MLX5)
        setting_print_mlx5(knobs, about, stdout);
    else if (device == DEVICE_SONIC)
        setting_print_sonic(knobs, about, stdout);
}
