#include "sim/skip/replay.h"
#include "sim/host/nic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAPES_MAX       16u
#define REPLAYS_FIRST   16u      /* rounds until one is simulated again */

struct replay {
    struct sim       *sim;
    struct skip_told *told;
    uint64_t          horizon_ps;        /* knobs stay as they are until then */
    uint64_t          epoch;             /* of links, when the tapes were recorded */

    struct tape       tape[TAPES_MAX];
    uint32_t          tapes, next;       /* next: to be replayed */
    struct tape       fresh;             /* being recorded */
    uint32_t         *number_of;         /* by flow: its number on it, plus 1 */
    uint32_t          numbers;
    bool              is_recording;
    bool              is_pure;           /* nothing but what repeats itself is on it */
    uint64_t          saved_was;         /* told->events_saved when it began */

    const struct tape *playing;          /* NULL: packets */
    uint64_t          start_ps;          /* of the round, in the world's time */
    uint64_t          counted_ps;        /* of it: what it counts is counted up to here */
    uint32_t          at;                /* the next step of the tape */
    uint8_t          *state;             /* by flow of the tape */
    uint32_t          states_max;
    uint32_t          left, pause;       /* rounds to be replayed until one is simulated; and then */
};

enum { WAITS, SENT, ARRIVED, OVER };     /* state of a flow that is replayed */

/* ---- how well the next is known ---- */

/* Of Student's t: 97.5 % lie below, by degrees of freedom. Tables of any book, e.g. NIST/SEMATECH
 * 1.3.6.7.2. */
static const double student[TAPES_MAX] = {
    0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
    2.131,
};

double replay_spread(const uint64_t *value, uint32_t n)
{
    double mean = 0, squares = 0;

    assert(n >= 2 && n <= TAPES_MAX);
    for (uint32_t i = 0; i < n; i++)
        mean += (double)value[i] / n;
    for (uint32_t i = 0; i < n; i++)
        squares += ((double)value[i] - mean) * ((double)value[i] - mean);
    return student[n - 1] * sqrt(squares / (n - 1) * (1 + 1.0 / n)) / mean;
}

/* ---- making ---- */

static void on_start(void *arg, const struct flow *f)
{
    struct replay *r = arg;
    uint32_t       id = (uint32_t)(f - r->sim->flows.flow);

    if (!r->is_recording)
        return;
    if (id >= r->numbers) {
        uint32_t was = r->numbers;

        r->numbers = 2 * id + 64;
        r->number_of = xrealloc(r->number_of, r->numbers * sizeof *r->number_of);
        memset(r->number_of + was, 0, (r->numbers - was) * sizeof *r->number_of);
    }
    r->number_of[id] = tape_add_flow(&r->fresh, f) + 1;
    r->is_pure = r->is_pure && traffic_repeats(r->sim->program.traffic, f->traffic);
}

static void on_step(struct replay *r, const struct flow *f, bool is_end)
{
    uint32_t id = (uint32_t)(f - r->sim->flows.flow);

    if (r->is_recording && id < r->numbers && r->number_of[id])
        tape_add_step(&r->fresh, engine_world_ps(&r->sim->engine), r->number_of[id] - 1, is_end,
                      f->resent_bytes);
}

static void on_arrival(void *arg, const struct flow *f)
{
    on_step(arg, f, false);
}

static void on_end(void *arg, const struct flow *f)
{
    on_step(arg, f, true);
}

struct replay *replay_new(struct sim *s, struct skip_told *told)
{
    struct replay *r = xcalloc(1, sizeof *r);

    r->sim = s;
    r->told = told;
    r->left = r->pause = REPLAYS_FIRST;
    s->flow_watch = (struct flow_watcher){ r, on_start, on_arrival, on_end };
    return r;
}

static void forget(struct replay *r)
{
    for (uint32_t i = 0; i < r->tapes; i++)
        tape_fini(&r->tape[i]);
    r->tapes = r->next = 0;
    r->left = r->pause = REPLAYS_FIRST;
}

void replay_free(struct replay *r)
{
    forget(r);
    tape_fini(&r->fresh);
    free(r->number_of);
    free(r->state);
    free(r);
}

/* ---- rounds ---- */

/* How often links have changed, all nodes together. */
static uint64_t epoch_of(const struct sim *s)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s->net.nodes; i++)
        sum += s->net.node[i].epoch;
    return sum;
}

static bool is_empty(const struct sim *s)
{
    const struct sim_counters *c = &s->engine.counters;

    return c->flows_started == c->flows_done && s->engine.packets.live == 0;
}

/* Posts of the rounds after this one are of no interest, nor is what others will start then. */
static void cut_posts(struct tape *t, uint64_t period_ps)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->posts; i++)
        if (t->post[i].at_ps <= period_ps)
            t->post[kept++] = t->post[i];
    t->posts = kept;
}

/* Keeps what has been recorded, if it can stand for another round. */
static void keep(struct replay *r, struct sim *s)
{
    struct tape out;

    r->is_recording = false;
    tape_end(&r->fresh, s);
    if (!r->is_pure || r->fresh.flows == 0 || epoch_of(s) != r->epoch)
        return;
    cut_posts(&r->fresh, r->fresh.period_ps);
    if (r->tapes && !tape_is_like(&r->fresh, &r->tape[0]))
        forget(r);
    r->fresh.events = s->engine.counters.events - r->fresh.was.events + r->told->events_saved - r->saved_was;
    r->told->recorded++;
    if (r->tapes < TAPES_MAX) {
        r->tape[r->tapes++] = r->fresh;
        r->fresh = (struct tape){ 0 };
        return;
    }
    out = r->tape[0];
    memmove(r->tape, r->tape + 1, (TAPES_MAX - 1) * sizeof *r->tape);
    r->tape[TAPES_MAX - 1] = r->fresh;
    r->fresh = out;
}

/* Records the pending starts; 'stream' starts now. */
static void note_posts(struct tape *t, const struct sim *s, uint32_t stream)
{
    const struct evq *q = &s->engine.evq;

    for (uint32_t i = 0; i < s->program.streams; i++) {
        uint32_t event = s->engine.first_event[EV_FLOW] + i;

        if (i == stream)
            tape_add_post(t, i, 0);
        else if (evq_is_pending(q, event))
            tape_add_post(t, i, evq_event(q, event)->at_ps - s->engine.now_ps);
    }
}

static void record(struct replay *r, struct sim *s, uint32_t stream)
{
    if (r->epoch != epoch_of(s))
        forget(r);
    r->epoch = epoch_of(s);
    tape_start(&r->fresh, s);
    note_posts(&r->fresh, s, stream);
    r->saved_was = r->told->events_saved;
    r->is_recording = r->is_pure = true;
}

static uint64_t longest_ps(const struct replay *r)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < r->tapes; i++)
        longest = r->tape[i].period_ps > longest ? r->tape[i].period_ps : longest;
    return longest;
}

/* Will a link change until then? */
static bool is_link_due(const struct sim *s, uint64_t within_ps)
{
    for (uint32_t i = 0; i < s->net.nodes && s->cfg.changes; i++) {
        uint32_t event = s->engine.first_event[EV_CHANGE] + i;

        if (evq_is_pending(&s->engine.evq, event) &&
            evq_event(&s->engine.evq, event)->at_ps - s->engine.now_ps <= within_ps)
            return true;
    }
    return false;
}

static double spread_of(const struct replay *r)
{
    uint64_t busy_ps[TAPES_MAX];

    for (uint32_t i = 0; i < r->tapes; i++)
        busy_ps[i] = r->tape[i].busy_ps;
    return replay_spread(busy_ps, r->tapes);
}

/* May the round that is about to begin, and about to be recorded, be replayed instead? */
static bool may_play(struct replay *r, struct sim *s)
{
    uint64_t world_ps = engine_world_ps(&s->engine), longest;

    if (r->tapes < 2 || s->engine.hooks.pfc)
        return false;
    r->told->spread = spread_of(r);
    if (r->told->spread > r->told->spread_max)
        r->told->spread_max = r->told->spread;
    longest = longest_ps(r);
    cut_posts(&r->fresh, longest);
    for (uint32_t i = 0; i < r->tapes; i++)
        cut_posts(&r->tape[i], longest);
    if (r->told->spread > s->cfg.fast_error || !tape_is_like(&r->fresh, &r->tape[r->next]))
        return false;
    if (world_ps + longest > r->horizon_ps || is_link_due(s, longest))
        return false;
    if (r->left > 0)
        return true;
    r->pause *= 2;
    r->left = r->pause;
    return false;
}

static void await_step(struct replay *r, struct sim *s)
{
    const struct tape *t = r->playing;
    uint64_t           at = r->start_ps + t->step[r->at].at_ps - s->engine.skipped_ps;

    /* Before signals and flows of the same time, like arrivals. */
    evq_add(&s->engine.evq, s->engine.first_event[EV_REPLAY], at, (ORDER_AGE_MAX << 32) - 2);
}

static void play(struct replay *r, struct sim *s)
{
    const struct tape *t = &r->tape[r->next];

    r->is_recording = false;
    r->playing = t;
    r->start_ps = engine_world_ps(&s->engine);
    r->counted_ps = 0;
    r->at = 0;
    r->left--;
    r->next = (r->next + 1) % r->tapes;
    if (t->flows > r->states_max) {
        r->states_max = t->flows;
        r->state = xrealloc(r->state, r->states_max);
    }
    memset(r->state, WAITS, t->flows);
    r->told->replayed++;
    await_step(r, s);
}

void replay_before_flow(struct replay *r, struct sim *s, uint32_t stream)
{
    const struct traffic *t = s->program.traffic;

    if (r->playing || !traffic_repeats(t, traffic_entry_of(t, stream)) || !is_empty(s) ||
        !traffic_is_at_rest(t))
        return;
    if (r->is_recording && engine_world_ps(&s->engine) == r->fresh.start_ps)
        return;                  /* others of the same moment */
    if (r->is_recording)
        keep(r, s);
    record(r, s, stream);
    if (may_play(r, s))
        play(r, s);
}

/* ---- replaying ---- */

bool replay_take_flow(struct replay *r, struct sim *s, uint32_t src, const struct flow_spec *f)
{
    struct sim_counters *c = &s->engine.counters;
    uint64_t             now = engine_world_ps(&s->engine);
    uint32_t             id = r->playing ? tape_find(r->playing, src, f, now - r->start_ps) : TAPE_NONE;

    if (id == TAPE_NONE || r->state[id] != WAITS)
        return false;
    r->state[id] = SENT;
    c->flows_started++;
    c->bytes_started += f->bytes;
    return true;
}

static void end_flow(struct sim *s, const struct tape_flow *f, const struct message *m)
{
    struct sim_counters *c = &s->engine.counters;
    struct flow_result   told = {
        .src = f->src, .dst = f->dst, .sport = (uint16_t)f->ports, .dport = (uint16_t)(f->ports >> 16),
        .prio = f->prio,
        .traffic = f->traffic, .bytes = f->bytes, .start_ps = m->start_ps, .fct_ps = f->end_ps - f->start_ps,
        .ideal_ps = f->ideal_ps, .resent_bytes = f->resent_bytes,
    };

    c->flows_done++;
    c->bytes_done += f->bytes;
    s->entry_bytes_done[f->traffic] += f->bytes;
    s->done_ps = engine_world_ps(&s->engine);
    if (s->engine.hooks.flow_done)
        s->engine.hooks.flow_done(s->engine.hooks.arg, &told);
    program_on_sent(&s->engine, &s->program, m);
}

static void take_step(struct replay *r, struct sim *s, const struct tape_step *step)
{
    const struct tape_flow *f = &r->playing->flow[step->flow];
    struct message          m = { .src = f->src, .dst = f->dst, .traffic = f->traffic, .bytes = f->bytes,
                                  .tag = f->tag, .start_ps = r->start_ps + f->start_ps };

    if (r->state[step->flow] == WAITS)
        return;                  /* it has not been started: its job has done something else */
    r->state[step->flow] = step->is_end ? OVER : ARRIVED;
    if (step->is_end)
        end_flow(s, f, &m);
    else
        program_on_arrival(&s->engine, &s->program, &m);
}

/* Counts what the round has counted until now. */
static void count(struct replay *r, struct sim *s, uint64_t at_ps)
{
    tape_count(r->playing, s, r->counted_ps, at_ps);
    r->counted_ps = at_ps;
}

void replay_on_event(struct replay *r, struct sim *s)
{
    const struct tape *t = r->playing;
    uint64_t           at_ps = t->step[r->at].at_ps;

    while (r->at < t->steps && t->step[r->at].at_ps == at_ps)
        take_step(r, s, &t->step[r->at++]);
    if (r->at < t->steps) {
        await_step(r, s);
        return;
    }
    count(r, s, t->period_ps);
    r->told->replayed_ps += t->busy_ps;
    r->told->events_saved += t->events;
    r->playing = NULL;
}

uint64_t replay_due_ps(const struct replay *r)
{
    return r->is_recording ? tape_due_ps(&r->fresh) : NEVER;
}

void replay_look(struct replay *r, struct sim *s)
{
    if (r->playing)
        count(r, s, engine_world_ps(&s->engine) - r->start_ps);
    else if (r->is_recording)
        tape_look(&r->fresh, s);
}

/* A round that is being replayed goes on as it is: the horizon is there to prevent that. */
void replay_on_change(struct replay *r)
{
    if (r->playing)
        return;
    r->is_recording = false;
    forget(r);
}

void replay_set_horizon(struct replay *r, uint64_t world_ps)
{
    r->horizon_ps = world_ps;
}

void replay_add_bytes(const struct replay *r, const struct sim *s, uint64_t *entry_bytes)
{
    uint64_t now = r->playing ? engine_world_ps(&s->engine) - r->start_ps : 0;

    for (uint32_t i = 0; r->playing && i < r->playing->flows; i++) {
        const struct tape_flow *f = &r->playing->flow[i];

        if (r->state[i] == SENT || r->state[i] == ARRIVED)
            entry_bytes[f->traffic] += tape_share(f->bytes, now - f->start_ps, f->end_ps - f->start_ps);
    }
}
