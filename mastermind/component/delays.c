/* SPDX-License-Identifier: BSD-3-Clause */
/* delays.c: a monitor port before the port of the recorder that delays calls, so that the
 * length of the run shows its length if methods cost another amount.
 *
 * A run in which a method costs c times as much, with each of its other costs stretched
 * by s, is a run of s times the length. So every thread of every rank waits for (s - 1)
 * of the CPU time that it spends outside the changed methods, and for (c s - 1) of the
 * time in them; the length of the run is then divided by s. With s = 1 / c a cheaper
 * method is not delayed itself, and ranks and threads wait for each other as they then
 * would.
 *
 * Time is the CPU time of the thread, so that the host's part is not stretched, without
 * time inside MPI. It is read where a call begins and ends. The delay comes at once,
 * before the recorder reads its clock: it belongs to the call in which the time was
 * spent. */
#include "mastermind/component/parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/statistics.h"

/* delays shorter than this are added up until they reach it */
#define LEAST_NS 2000
#define LEAST_FACTOR .05

enum { READINGS = 1001 };

/* An open call of a thread. */
struct open_call {
    const struct monitor_frame *frame;
    double rate; /* delay for a nanosecond of its own time */
};

/* State of a thread that makes calls. */
struct delayed_thread {
    struct open_call *calls;
    size_t count;
    int64_t last_ns;    /* CPU time at the end of the last call of the port */
    const int64_t *mpi; /* time inside MPI so far */
    int64_t last_mpi_ns;
    double owed_ns; /* delay that has not been made yet */
};

static const int64_t zero;

/* --- Changes ---------------------------------------------------------------------- */

/* Read one change "flux.flux.compute=0.7". */
static int read_change(struct mm_delays *delays, const char *word, size_t length,
                       struct cca_error *err)
{
    char *name = strndup(word, length), *equals = name ? strrchr(name, '=') : NULL, *end;
    struct mm_delay_change *change;

    change = name ? cca_array_add(&delays->changes, &delays->change_count, sizeof *change)
                  : NULL;
    if (!change) {
        free(name);
        return cca_no_memory(err);
    }
    change->name = name;
    change->factor = equals ? strtod(equals + 1, &end) : NAN;
    if (!equals || end == equals + 1 || *end || !(change->factor >= LEAST_FACTOR) ||
        !isfinite(change->factor))
        return cca_error_set(err, -EINVAL,
                             "'%s' in " MM_DELAYS
                             ", expected METHOD=FACTOR with a factor "
                             "of at least %g",
                             name, LEAST_FACTOR);
    *equals = '\0';
    delays->scale = fmax(delays->scale, 1 / change->factor);
    return 0;
}

int mm_delays_read(struct mm_delays *delays, const char *text, struct cca_error *err)
{
    int result = 0;

    delays->scale = 1;
    while (*text && !result) {
        size_t length = strcspn(text, ",");

        if (strcmp(text, MM_DELAYS_NONE) != 0)
            result = read_change(delays, text, length, err);
        text += length + (text[length] == ',');
    }
    return result;
}

/* --- Delays ------------------------------------------------------------------------ */

static void spin_until(int64_t until_ns)
{
    while (cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
        ;
}

/* Make the delay for the time since the last call of the port, which the innermost open
 * call has spent. */
static void delay(struct mm_delays *delays, struct delayed_thread *t)
{
    int64_t now_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID), mpi_ns = *t->mpi;
    int64_t used_ns =
        now_ns - t->last_ns - (mpi_ns - t->last_mpi_ns) - delays->reading_ns;

    t->last_mpi_ns = mpi_ns;
    if (t->count && used_ns > 0)
        t->owed_ns += t->calls[t->count - 1].rate * (double)used_ns;
    if (t->owed_ns >= LEAST_NS) {
        int64_t until_ns = now_ns + (int64_t)t->owed_ns;

        spin_until(until_ns);
        now_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        t->owed_ns -= (double)(now_ns - (until_ns - (int64_t)t->owed_ns));
    }
    t->last_ns = now_ns;
}

static struct delayed_thread *thread_here(struct mm_delays *delays)
{
    struct delayed_thread *t = pthread_getspecific(delays->threads);

    if (t)
        return t;
    t = calloc(1, sizeof *t);
    if (!t || pthread_setspecific(delays->threads, t)) {
        free(t);
        return NULL;
    }
    t->mpi = delays->mpi_time ? delays->mpi_time(delays->context) : NULL;
    if (!t->mpi)
        t->mpi = &zero;
    t->last_mpi_ns = *t->mpi;
    t->last_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return t;
}

static void free_thread(void *thread)
{
    struct delayed_thread *t = thread;

    free(t->calls);
    free(t);
}

/* --- The port ----------------------------------------------------------------------- */

static struct mm_delays *delays_of(struct monitor_port *self)
{
    return cca_container_of(self, struct mm_delays, port);
}

/* The change of a method, 1: none. */
static double factor_of(const struct mm_delays *delays,
                        const struct monitor_method_decl *d)
{
    char name[512];

    snprintf(name, sizeof name, "%s.%s.%s", d->instance, d->port, d->method);
    for (size_t i = 0; i < delays->change_count; i++)
        if (strcmp(delays->changes[i].name, name) == 0)
            return delays->changes[i].factor;
    return 1;
}

static struct monitor_method *method_open(struct monitor_port *self,
                                          const struct monitor_method_decl *decl,
                                          struct cca_error *err)
{
    struct mm_delays *delays = delays_of(self);
    struct monitor_method *method = delays->inner->method_open(delays->inner, decl, err);
    double factor = factor_of(delays, decl);

    if (!method || factor == 1)
        return method;
    pthread_mutex_lock(&delays->lock);
    if (delays->changed_count < MM_DELAYED_METHODS) {
        delays->changed[delays->changed_count] =
            (struct mm_delayed_method){method, factor * delays->scale - 1};
        __atomic_store_n(&delays->changed_count, delays->changed_count + 1,
                         __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&delays->lock);
    return method;
}

static double rate_of(struct mm_delays *delays, const struct monitor_method *method)
{
    size_t count = __atomic_load_n(&delays->changed_count, __ATOMIC_ACQUIRE);

    for (size_t i = 0; i < count; i++)
        if (delays->changed[i].method == method)
            return delays->changed[i].rate;
    return delays->scale - 1;
}

static struct monitor_frame *begin(struct monitor_port *self,
                                   struct monitor_method *method,
                                   const union monitor_value *in)
{
    struct mm_delays *delays = delays_of(self);
    int errno_before = errno;
    struct delayed_thread *t = thread_here(delays);
    struct open_call *call;
    struct monitor_frame *frame;

    if (t)
        delay(delays, t);
    call = t ? cca_array_add(&t->calls, &t->count, sizeof *call) : NULL;
    errno = errno_before;
    frame = delays->inner->begin(delays->inner, method, in);
    if (call)
        *call = (struct open_call){frame, rate_of(delays, method)};
    return frame;
}

/* Delay the end of the call `frame`, and forget it with the calls in it, which longjmp
 * may have left. */
static void end_call(struct mm_delays *delays, const struct monitor_frame *frame)
{
    int errno_before = errno;
    struct delayed_thread *t = thread_here(delays);
    size_t at = t ? t->count : 0;

    if (t)
        delay(delays, t);
    while (at && t->calls[at - 1].frame != frame)
        at--;
    if (at)
        t->count = at - 1;
    errno = errno_before;
}

static void end(struct monitor_port *self, struct monitor_frame *frame,
                const union monitor_value *out)
{
    struct mm_delays *delays = delays_of(self);

    end_call(delays, frame);
    delays->inner->end(delays->inner, frame, out);
}

static void unwind(struct monitor_port *self, struct monitor_frame *frame)
{
    struct mm_delays *delays = delays_of(self);

    end_call(delays, frame);
    delays->inner->unwind(delays->inner, frame);
}

static uint64_t now(struct monitor_port *self)
{
    struct mm_delays *delays = delays_of(self);

    return delays->inner->now(delays->inner);
}

/* The delay comes before the time at which the call ended. */
static void end_at(struct monitor_port *self, struct monitor_frame *frame,
                   const union monitor_value *out, uint64_t when)
{
    struct mm_delays *delays = delays_of(self);
    uint64_t before = delays->inner->now(delays->inner);

    end_call(delays, frame);
    delays->inner->end_at(delays->inner, frame, out,
                          when + delays->inner->now(delays->inner) - before);
}

/* --- Set-up --------------------------------------------------------------------------
 */

/* The median cost of a reading of the clock. */
static int64_t reading_cost(void)
{
    double costs[READINGS];
    int64_t last = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < READINGS; i++) {
        int64_t next = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);

        costs[i] = (double)(next - last);
        last = next;
    }
    return (int64_t)cca_median(costs, READINGS);
}

int mm_delays_init(struct mm_delays *delays, struct monitor_port *inner,
                   const int64_t *(*mpi_time)(void *context), void *context,
                   struct cca_error *err)
{
    delays->inner = inner;
    delays->mpi_time = mpi_time;
    delays->context = context;
    delays->port = (struct monitor_port){.base = {MONITOR_PORT_TYPE, sizeof delays->port},
                                         .method_open = method_open,
                                         .begin = begin,
                                         .end = end,
                                         .unwind = unwind,
                                         .now = now,
                                         .end_at = end_at};
    delays->reading_ns = reading_cost();
    if (pthread_mutex_init(&delays->lock, NULL) ||
        pthread_key_create(&delays->threads, free_thread))
        return cca_no_memory(err);
    delays->is_used = 1;
    return 0;
}

json_t *mm_delays_json(const struct mm_delays *delays)
{
    json_t *changes = json_object(), *object = json_object();

    for (size_t i = 0; i < delays->change_count; i++)
        json_object_set_new(changes, delays->changes[i].name,
                            json_real(delays->changes[i].factor));
    json_object_set_new(object, "scale", json_real(delays->scale));
    json_object_set_new(object, "reading_ns", json_integer(delays->reading_ns));
    json_object_set_new(object, "changes", changes);
    return object;
}

void mm_delays_done(struct mm_delays *delays)
{
    /* the key stays: other threads may still end */
    for (size_t i = 0; i < delays->change_count; i++)
        free(delays->changes[i].name);
    free(delays->changes);
}
