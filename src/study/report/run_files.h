/* src/study/report/run_files.h - the files that a run leaves: the folder of --out, and lists in the format of
 * HPCC's ns-3.
 *
 * They are opened before the run, so that a wrong name is reported at once. Some are written during the run,
 * the others at its end. Then all of them are moved into place.
 */
#ifndef STUDY_REPORT_RUN_FILES_H
#define STUDY_REPORT_RUN_FILES_H

#include "base/file/outfile.h"
#include "study/report/results.h"
#include "study/report/trace/trace.h"

#include <jansson.h>
#include <stdio.h>

#define RUN_FILES_MAX 13

/* files outside the folder, each with an option of its own */
enum run_file {
    RUN_FILE_HTSIM_FLOWS, RUN_FILE_HPCC_FCT, RUN_FILE_HPCC_PFC, RUN_FILE_PCAP, RUN_FILE_TRACE,
    RUN_FILE_SAMPLES, RUN_FILES_SINGLE
};

struct run_files_paths {         /* NULL: not wanted */
    const char *out, *single[RUN_FILES_SINGLE];
    bool        is_pcap_cut;     /* behind headers */
    uint64_t    pcap_bytes_max, trace_bytes_max, samples_bytes_max;
    uint64_t    sample_ps;       /* how often queues and rates are looked at, for 'trace' and 'samples' */
};

struct run_files {
    const struct simulation *simulation;
    const char              *out;            /* the folder; NULL: not wanted */
    struct outdir           *dir;            /* the same, until it is in place */
    const char              *name[RUN_FILES_MAX];    /* of what lies in it, the page first; ends with NULL */
    FILE                    *flows, *intervals;      /* in dir */
    json_t                  *page;           /* data of the page, while files are written */
    FILE                    *queues;         /* the same; NULL: not counted */
    struct outfile           single[RUN_FILES_SINGLE];
    struct pcap             *pcap;           /* NULL: not wanted */
    struct chrome           *chrome;
    struct samples          *samples;
    uint64_t                 sample_ps;
};

/* The simulation must outlive the files. To be aborted also on failure. */
int run_files_open(struct run_files *, const struct run_files_paths *, const struct simulation *,
                   struct err *);

/* What writes lines while the simulation runs. */
struct simulation_hooks run_files_hooks(struct run_files *);

/* Writes the rest, checks all, puts all into place. */
int run_files_write(struct run_files *, const struct results *, struct err *);

/* Replaces the files in place that show the interval of further seeds, each atomically. */
int run_files_update(struct run_files *, const struct results *, struct err *);

/* Removes what is not in place. */
void run_files_abort(struct run_files *);

#endif
