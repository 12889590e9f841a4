#include "study/run/simulation.h"
#include "study/run/progress.h"
#include "study/run/sim_world.h"
#include "study/run/slots.h"
#include "base/minmax.h"
#include "base/text.h"
#include "sim/observe/messages.h"
#include "sim/observe/observe.h"
#include "sim/observe/watch.h"
#include "sim/unfinished.h"
#include "work/traffic/kinds/training.h"
#include "work/traffic/traffic.h"
#include "study/scenario/examples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLICE_S        0.05              /* wall time of a slice */
#define SLICE_PS_FIRST (1 * PS_PER_US)
#define HOSTS_MANY     64u
#define BYTES_MANY     1e9               /* traffic of about one second of work */
#define SHARE_ASSUMED  0.2               /* assumed utilization for traffic without a load */

/* Estimates the bytes that an entry will send, from its load or an assumed utilization. */
static double expected_bytes(const struct scenario *s, const struct traffic_about *t)
{
    uint64_t stop_ps = min_u64(t->stop_ps, s->run_ps);
    double seconds =
        stop_ps == NEVER || stop_ps <= t->start_ps ? 0 : (double)(stop_ps - t->start_ps) / (double)PS_PER_S;

    return (t->load > 0 ? t->bps_per_host * t->hosts : s->host_bps * SHARE_ASSUMED) / 8 * seconds;
}

/* Threads synchronize once per link delay, so each step needs enough work, and the run should last at least a
 * second. */
static uint32_t threads_that_pay(const struct scenario *s)
{
    long   processors = sysconf(_SC_NPROCESSORS_ONLN);
    double bytes = 0, load;

    /* Threads wait for each other, so they are inefficient on processors that other programs use. */
    if (getloadavg(&load, 1) == 1)
        processors -= (long)(load + 0.5);
    for (uint32_t i = 0; i < s->entries; i++)
        bytes += expected_bytes(s, &s->entry[i]);
    if (processors < 2 || s->graph.hosts < HOSTS_MANY || bytes < BYTES_MANY)
        return 1;
    return processors < PARTS_MAX ? (uint32_t)processors : PARTS_MAX;
}

/* Tuners need flow sizes and thus a monitor, except those that set single queues. */
static void need_monitor(struct simulation *s)
{
    struct watch_cfg *w = &s->scenario.watch;

    if (!loop_slot_ps(&s->loop) && w->monitors == 0)
        w->monitor[w->monitors++] = monitor_find("paraleon");
}

static void carry_out(struct simulation *s, const struct decision *d, uint64_t at_ps)
{
    apply_decision(s->sim, &s->loop, d);
    if (d->has_knobs)
        series_set_knobs(&s->series, at_ps, &sim_settings(s->sim)->knobs);
}

static void start_loop(struct simulation *s)
{
    struct decision d;

    loop_start(&s->loop, &sim_settings(s->sim)->knobs, &d);
    carry_out(s, &d, 0);
}

static int check_slots(const struct scenario_tuner *t, const struct loop *l, struct err *err)
{
    if (t->is_recorded && !loop_slot_ps(l))
        return err_set(err, EINVAL, "%srecord: the tuner %.60s does not set queues slot by slot",
                       t->record_place, t->kind);
    if ((t->monitor_delay_ps || t->dispatch_delay_ps) && loop_slot_ps(l))
        return err_set(err, EINVAL, "%sthe tuner %.60s sets queues slot by slot where they are: it has no "
                       "delays", t->place, t->kind);
    return 0;
}

int simulation_open_loop(struct loop *l, const struct scenario *sc, const struct world *w, struct err *err)
{
    const struct scenario_tuner *t = &sc->tuner;
    struct loop_request          request = { .kind = t->kind, .place = t->place, .option = t->option,
                                             .options = t->options, .beside = sc->path };
    int                          rc = loop_open(l, w, &request, err);

    if (!rc)
        rc = check_slots(t, l, err);
    if (rc)
        loop_close(l);
    return rc;
}

static int open_tuner(struct simulation *s, struct err *err)
{
    struct world world;
    int          rc;

    if (s->input.knobs)
        sim_apply(s->sim, s->input.knobs);
    if (!s->scenario.tuner.kind || s->input.is_untuned)
        return 0;
    sim_world_init(&world, s->sim, s->scenario.interval_ps);
    world.maker = s->input.maker;
    world.maker_arg = &s->input;
    world.goal = &s->scenario.goal;
    rc = simulation_open_loop(&s->loop, &s->scenario, &world, err);
    world_fini(&world);
    if (!rc)
        need_monitor(s);
    return rc;
}

void simulation_lend(struct simulation *s, struct loop *loop)
{
    loop_close(&s->loop);
    s->loop = *loop;
    *loop = (struct loop){ 0 };
    need_monitor(s);
    start_loop(s);
}

void simulation_take_back(struct simulation *s, struct loop *loop)
{
    *loop = s->loop;
    s->loop = (struct loop){ 0 };
}

static bool has_training(const struct scenario *s)
{
    for (uint32_t i = 0; i < s->entries; i++)
        if (s->entry[i].workers)
            return true;
    return false;
}

int simulation_open(struct simulation *s, const struct simulation_input *input, struct err *err)
{
    int rc;

    *s = (struct simulation){ .input = *input };
    rc = scenario_make(&s->scenario, &(struct scenario_source){ input->name, input->text, input->text_bytes,
                                                                input->base, input->set,
                                                                input->sets, input->over, input->seed }, err);
    if (rc)
        return rc;
    if (input->until_ps && input->until_ps < s->scenario.run_ps)
        s->scenario.run_ps = input->until_ps;
    s->scenario.cfg.is_fast |= input->prefers_fast && !s->scenario.has_fidelity && has_training(&s->scenario);
    s->scenario.cfg.threads = input->threads      ? input->threads
                              : s->scenario.htsim ? 1
                                                  : threads_that_pay(&s->scenario);
    rc = scenario_start(&s->scenario, &s->sim, err);
    if (!rc && (rc = open_tuner(s, err)) != 0)
        sim_free(s->sim);
    if (rc) {
        scenario_fini(&s->scenario);
        return rc;
    }
    series_init(&s->series, sim_ports(s->sim), s->scenario.entries);
    for (uint32_t i = 0; i < s->scenario.entries; i++)
        if (s->scenario.entry[i].is_influx)
            phases_add(&s->series.phases, s->scenario.entry[i].start_ps, s->scenario.entry[i].stop_ps);
    fct_init(&s->fct, s->scenario.entries, &s->series.phases);
    ops_init(&s->ops, s->scenario.entries);
    steps_init(&s->steps, s->scenario.entries, ITERATION_KINDS);
    passes_init(&s->passes, s->scenario.entries);
    outages_init(&s->outages, sim_settings(s->sim));
    start_loop(s);
    if (s->series.knobs == 0)
        series_set_knobs(&s->series, 0, &sim_settings(s->sim)->knobs);
    return 0;
}

/* Finds the entry with the most messages in flight, and their number. */
static uint32_t busiest_entry(const struct simulation *s, uint64_t *most)
{
    uint64_t *waiting = xcalloc(s->scenario.entries + 1ul, sizeof *waiting), bytes = 0;
    uint32_t  entry = 0;

    for (uint32_t i = 0; (i = sim_next_active(s->sim, i)) != 0;)
        waiting[sim_flow(s->sim, i).traffic] += sim_flow_waiting(s->sim, i, &bytes);
    for (uint32_t i = 1; i < s->scenario.entries; i++)
        if (waiting[i] > waiting[entry])
            entry = i;
    *most = waiting[entry];
    free(waiting);
    return entry;
}

int simulation_failed(const struct simulation *s, struct err *err)
{
    const struct err           *failure = sim_failure(s->sim);
    const struct traffic_about *e;
    char                        place[16] = "", count[32];
    uint64_t                    most;

    if (!failure)
        return 0;
    if (!sim_is_overloaded(s->sim))
        return err_set(err, EINVAL, "%s: %s", s->scenario.path, failure->text);
    e = &s->scenario.entry[busiest_entry(s, &most)];
    if (e->line)
        snprintf(place, sizeof place, ":%u", e->line);
    return err_set(err, ENOBUFS, "%s%s: %s; most of them, %s, are of '%s': let it send less, on fewer "
                   "hosts, or for a shorter time", s->scenario.path, place, failure->text,
                   text_from_count(count, sizeof count, most), e->name);
}

void simulation_close(struct simulation *s)
{
    spread_fini(&s->spread);
    ops_fini(&s->ops);
    steps_fini(&s->steps);
    outages_fini(&s->outages);
    passes_fini(&s->passes);
    fct_fini(&s->fct);
    series_fini(&s->series);
    queue_log_fini(&s->queues);
    loop_close(&s->loop);
    sim_free(s->sim);
    scenario_fini(&s->scenario);
}

/* ---- running ---- */

struct run {                     /* a simulation in progress */
    struct simulation             *s;
    const struct simulation_hooks *hooks;
    struct progress               *progress;
    struct observer               *observer;
    struct report                  report;   /* since the last sample */
    struct report                  interval; /* sum over several samples, if an interval has several */
    struct watch                  *watch;    /* NULL: no monitor */
    struct slots                  *slots;    /* NULL: no tuner per queue */
    struct messages               *messages; /* NULL: no tuner needs them */
    struct stall                   stall;
    struct lag                     lag;      /* reports in transit to the tuner */
    struct decision                pending;  /* the next decision to apply; number 0: none */
    uint64_t                       pending_ps;           /* when it applies */
    uint64_t                       slice_ps, looked_ps;
    uint64_t                       sample_next_ps;       /* NEVER: no samples */
    bool                           has_more;     /* events are pending */
    bool                           is_enough;    /* a hook ended the run */
    bool                           is_last;      /* the scenario has no further changes */
};

static void on_flow_done(void *arg, const struct flow_result *r)
{
    struct run *run = arg;
    uint32_t    kind = training_kind_of(sim_traffic(run->s->sim), r->traffic, r->tag);

    fct_add(&run->s->fct, r);
    outages_add(&run->s->outages, r);
    if (kind < ITERATION_KINDS)
        steps_add(&run->s->steps, kind, r);
    if (run->messages)
        messages_on_done(run->messages, r);
    if (run->hooks->flow_done)
        run->hooks->flow_done(run->hooks->arg, r);
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    struct run *run = arg;

    run->hooks->pfc(run->hooks->arg, r);
}

static void on_op(void *arg, const struct op_result *r)
{
    struct run      *run = arg;
    struct op_result whole;

    if (r->ranks && !passes_add(&run->s->passes, r, &whole))
        return;
    r = r->ranks ? &whole : r;
    ops_add(&run->s->ops, r);
    if (run->hooks->op)
        run->hooks->op(run->hooks->arg, r);
}

static void on_queue(void *arg, const struct slots_row *r)
{
    struct run *run = arg;

    queue_log_add(&run->s->queues, r);
    if (run->hooks->queue)
        run->hooks->queue(run->hooks->arg, r);
}

static void decide(struct run *run, const struct report *report, uint64_t now_ps)
{
    uint64_t        delay_ps = run->s->scenario.tuner.dispatch_delay_ps;
    struct decision d;

    loop_on_report(&run->s->loop, report, &d);
    if (d.number)
        lag_settle(&run->lag, now_ps + delay_ps);
    if (!delay_ps) {
        carry_out(run->s, &d, now_ps);
    } else if (d.number) {       /* no further decision until it takes effect, so its arrays stay valid */
        run->pending = d;
        run->pending_ps = now_ps + delay_ps;
    }
}

static void on_late(struct run *run, uint64_t now_ps)
{
    const struct report *report;

    if (run->pending.number && run->pending_ps <= now_ps) {
        if (run->pending.number == run->s->loop.decisions)   /* else a change has already applied it */
            carry_out(run->s, &run->pending, run->pending_ps);
        run->pending.number = 0;
    }
    while ((report = lag_next(&run->lag, now_ps)) != NULL)
        decide(run, report, now_ps);
}

static void tune(struct run *run, const struct report *report)
{
    const struct scenario_tuner *t = &run->s->scenario.tuner;

    if (t->monitor_delay_ps || t->dispatch_delay_ps) {
        lag_add(&run->lag, report);
        on_late(run, report->end_ps);
    } else
        decide(run, report, report->end_ps);
}

static void end_interval(struct run *run, struct report *report)
{
    struct simulation *s = run->s;

    report->number = ++s->intervals;
    if (run->watch) {
        watch_read(run->watch, report->end_ps, report);
        scores_add(&s->scores, report);
    }
    if (run->messages)
        messages_read(run->messages, report->end_ps, &report->seen);
    report->has_seen = run->messages != NULL;
    if (run->hooks->report)
        run->hooks->report(run->hooks->arg, report);
    /* Not the last interval if it is shorter: tuners would take it for a full measurement. */
    if (s->loop.tuner.algo && report->start_ps >= s->scenario.tuner.start_ps &&
        report->end_ps - report->start_ps == s->scenario.interval_ps)
        tune(run, report);
    run->is_enough = run->hooks->is_enough && run->hooks->is_enough(run->hooks->arg);
}

static void look(struct run *run, uint64_t now_ps)
{
    struct simulation *s = run->s;

    observer_count(run->observer, now_ps, &run->report);
    if (now_ps > s->pace.origin_ps)
        series_add(&s->series, &run->report, pace_points(&s->pace, now_ps - run->looked_ps));
    run->looked_ps = now_ps;
    if (!s->pace.is_growing) {
        end_interval(run, &run->report);
    } else if (simulation_has_intervals(s)) {
        report_add(&run->interval, &run->report);
        if (pace_is_interval(&s->pace, now_ps)) {
            end_interval(run, &run->interval);
            report_clear(&run->interval);
        }
    }
}

/* Ends a run whose unfinished flows will never finish. */
static void give_up(struct run *run, uint64_t since_ps)
{
    struct simulation *s = run->s;

    s->is_stuck = true;
    s->stuck_ps = min_u64(since_ps, sim_last_arrival_ps(s->sim)); /* frames may go on without progress */
    stall_explain(s->sim, s->stuck_why);
}

/* ---- work at given times ---- */

static void check_stall(struct run *run)
{
    struct sim *sim = run->s->sim;

    if (stall_look(&run->stall, sim) && run->has_more && !sim_is_done(sim) && run->is_last)
        give_up(run, run->stall.since_ps);
}

/* The simulation stops at the earliest of these times. What is due together runs in this order. */
enum task { SLOT, LOOK, SAMPLE, LATE, STALL, TASKS };

static void run_task(struct run *run, enum task task, uint64_t now_ps)
{
    switch (task) {
    case SLOT:   slots_look(run->slots);  break;
    case LOOK:   look(run, now_ps);       break;
    case SAMPLE:
        run->hooks->sample(run->hooks->arg, now_ps);
        run->sample_next_ps += run->hooks->sample_ps;
        break;
    case LATE:   on_late(run, now_ps);    break;
    case STALL:  check_stall(run);        break;
    case TASKS:  break;
    }
}

/* Advances the simulation to the next task, or by one slice, or to 'until_ps'; then runs the tasks that are
 * due. When the traffic has ended, only samples and the check for stalls run. */
static void run_step(struct run *run, uint64_t until_ps)
{
    struct sim    *sim = run->s->sim;
    const uint64_t due_ps[TASKS] = {
        [SLOT] = slots_next_ps(run->slots), [SAMPLE] = run->sample_next_ps,
        [LATE] = min_u64(lag_next_ps(&run->lag), run->pending.number ? run->pending_ps : NEVER),
        [LOOK] = pace_next_ps(&run->s->pace, &run->s->series, run->looked_ps), [STALL] = run->stall.next_ps,
    };
    uint64_t to_ps = until_ps;

    for (enum task i = 0; i < TASKS; i++)
        to_ps = min_u64(to_ps, due_ps[i]);
    to_ps = min_u64(to_ps - sim_now_ps(sim), run->slice_ps) + sim_now_ps(sim);
    run->has_more = sim_run_until(sim, to_ps);
    for (enum task i = 0; i < TASKS; i++)
        if (due_ps[i] == to_ps && (i == SAMPLE || i == STALL || (run->has_more && !sim_is_done(sim))))
            run_task(run, i, to_ps);
}

/* Keeps slices near SLICE_S of wall time, so that progress is shown in time. */
static void adapt_slice(struct run *run, double took_s)
{
    if (took_s < SLICE_S / 2 && run->slice_ps < PS_PER_S * 1000)
        run->slice_ps *= 2;
    else if (took_s > SLICE_S * 2 && run->slice_ps > 1)
        run->slice_ps /= 2;
}

static bool is_over(const struct run *run)
{
    return !run->has_more || sim_is_done(run->s->sim) || run->is_enough || run->s->is_stuck;
}

/* Returns true if there is more to do after 'until_ps'. */
static bool run_until(struct run *run, uint64_t until_ps)
{
    run->has_more = true;
    while (!is_over(run) && sim_now_ps(run->s->sim) < until_ps) {
        double before_s = progress_clock_s();

        run_step(run, until_ps);
        adapt_slice(run, progress_clock_s() - before_s);
        if (run->progress)
            progress_update(run->progress, run->s->sim, run->s->scenario.run_ps);
    }
    return !is_over(run);
}

static uint64_t run_to_end(struct run *run)
{
    const struct scenario *sc = &run->s->scenario;
    struct decision        d;
    bool                   more = true;

    for (uint32_t i = 0; more && i < sc->changes && sc->change[i].at_ps <= sc->run_ps; i++) {
        const struct knob_change *c = &sc->change[i];

        if (c->at_ps > 0)            /* a change applies to events at its exact time */
            more = run_until(run, c->at_ps - 1);
        if (!more)
            break;
        loop_on_change(&run->s->loop, c->at_ps, &c->set, &d);
        carry_out(run->s, &d, c->at_ps);
    }
    run->is_last = true;
    if (more)
        more = run_until(run, sc->run_ps);
    if (run->is_enough)
        return run->looked_ps;
    if (sim_failure(run->s->sim) || run->s->is_stuck)
        return sim_now_ps(run->s->sim);
    if (sim_is_done(run->s->sim)) {
        sim_run_until(run->s->sim, sc->run_ps);      /* delivers packets in flight */
        return sim_done_ps(run->s->sim);
    }
    if (!more && sim_next_active(run->s->sim, 0))
        give_up(run, NEVER);     /* no more events */
    sim_end_reads(run->s->sim);
    return sc->run_ps != NEVER ? sc->run_ps : sim_last_arrival_ps(run->s->sim);
}

/* Reports the rest of the run in intervals, although nothing has moved since the last sample. If the last
 * flow was done before the last sample, frames that were still in flight then are reported, too. */
static void look_until(struct run *run, uint64_t end_ps)
{
    if (sim_is_done(run->s->sim) && !run->s->scenario.htsim && end_ps <= run->looked_ps)
        end_ps = min_u64(sim_last_arrival_ps(run->s->sim), run->s->scenario.run_ps);
    while (end_ps > run->looked_ps && !run->is_enough) {
        uint64_t next_ps = pace_next_ps(&run->s->pace, &run->s->series, run->looked_ps);

        look(run, next_ps < end_ps ? next_ps : end_ps);
    }
    if (run->interval.end_ps)    /* incomplete */
        end_interval(run, &run->interval);
}

struct job_progress simulation_job(const struct simulation *s, uint32_t entry)
{
    const struct traffic_about *about = &s->scenario.entry[entry];
    const struct ops_cell      *c = ops_cell(&s->ops, entry, OP_ITERATION);
    double                      compute_s = (double)about->compute_ps / (double)PS_PER_S;
    struct job_progress         p = { .iterations = (double)c->count };
    uint64_t                    began_ps = c->count ? c->last_ps + about->compute_ps : about->start_ps;
    const struct iteration     *it = training_iteration(sim_traffic(s->sim), entry);
    double bytes = (double)sim_entry_bytes(s->sim, entry), share = bytes / iteration_bytes(it) - p.iterations;

    p.seconds = (double)c->took_ps_sum / (double)PS_PER_S + p.iterations * compute_s;
    if (s->end_ps <= began_ps || !(share > 0))
        return p;
    share = share < 1 ? share : 1;
    p.iterations += share;
    p.seconds += (double)(s->end_ps - began_ps) / (double)PS_PER_S + share * compute_s;
    return p;
}

bool simulation_has_intervals(const struct simulation *s)
{
    return s->pace.interval_ps != NEVER;
}

void simulation_run(struct simulation *s, const struct simulation_hooks *hooks, struct progress *progress)
{
    static const struct simulation_hooks none;
    struct run run = { .s = s, .hooks = hooks ? hooks : &none, .progress = progress,
                       .slice_ps = SLICE_PS_FIRST, .sample_next_ps = NEVER };
    double     start_s = progress_clock_s();

    if (run.hooks->sample)
        run.sample_next_ps = run.hooks->sample_ps;
    if (s->scenario.watch.monitors)
        run.watch = watch_new(s->sim, &s->scenario.watch);
    stall_init(&run.stall, s->sim);
    lag_init(&run.lag, s->scenario.tuner.monitor_delay_ps);
    run.observer = observer_new(s->sim);
    observer_init_report(run.observer, &run.report);
    observer_init_report(run.observer, &run.interval);
    s->pace = pace_of(&s->scenario, sim_ports(s->sim), run.watch || s->loop.tuner.algo);
    s->series.interval_ps = s->pace.point_ps;
    s->series.is_growing = s->pace.is_growing;
    if (s->pace.is_growing)
        series_begin_idle(&s->series, (pace_reached_ps(&s->scenario) - s->pace.origin_ps) / s->pace.point_ps);
    if (tuner_reads_messages(&s->loop.tuner))
        run.messages = messages_new(s->sim);
    run.slots = slots_new(s->sim, &s->loop, s->scenario.tuner.start_ps, on_queue, &run);
    if (run.slots)
        queue_log_init(&s->queues, s->sim);
    sim_set_hooks(s->sim, &(struct sim_hooks){ &run, on_flow_done, run.hooks->pfc ? on_pfc : NULL });
    traffic_on_op(sim_traffic(s->sim), on_op, &run);
    s->end_ps = run_to_end(&run);
    look_until(&run, s->end_ps);
    if (run.slots)
        queue_log_sum(&s->queues, s->sim, s->end_ps, &s->loop.tuning.queues);
    slots_free(run.slots);
    lag_fini(&run.lag);
    messages_free(run.messages);
    report_fini(&run.report);
    report_fini(&run.interval);
    observer_free(run.observer);
    watch_free(run.watch);
    sim_set_hooks(s->sim, NULL);
    traffic_on_op(sim_traffic(s->sim), NULL, NULL);
    s->wall_s = progress_clock_s() - start_s;
#ifndef NDEBUG
    sim_check(s->sim);
#endif
}

/* ---- scenario files ---- */

#define SCENARIO_BYTES_MAX (64u << 20)

int scenario_file_read(struct scenario_file *f, const char *path, struct err *err)
{
    *f = (struct scenario_file){ .path = examples_path(path, err) };
    return f->path ? text_read_file(f->path, SCENARIO_BYTES_MAX, &f->text, &f->text_bytes, err) : -ENOENT;
}

void scenario_file_fini(struct scenario_file *f)
{
    free(f->text);
    free(f->path);
    *f = (struct scenario_file){ 0 };
}

struct simulation_input scenario_file_input(const struct scenario_file *f)
{
    return (struct simulation_input){ .name = text_file_name(f->path), .text = f->text,
                                      .text_bytes = f->text_bytes };
}
