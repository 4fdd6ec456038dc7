/* SPDX-License-Identifier: BSD-3-Clause */
/* core.c: read the CPU clock after a thread has left its core, and attribute the losses
 * to calls. No floating-point arithmetic, so that calls raise no FE_INEXACT. */
#include "mastermind/recorder/core.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "mastermind/recorder/parts.h"
#include "mastermind/recorder/rseq.h"

enum {
    SMALLEST_NS = 2000, /* without a context switch, a smaller loss between two
                           readings is noise */
    /* a loss of less than 2^-12 of the time between two readings is noise, too */
    DRIFT_SHIFT = 12,
    LONG_WAIT_NS = 100000, /* for longer losses the kernel's run delay is read */
    /* after so many stores by other users of the word (rseq.h), the recorder stops using
       it */
    MOST_FOREIGN = 200,
    MOST_REPEATS = 8,
    LONGEST_READING_NS = 20000 /* if a reading takes longer, the thread has left its
                                  core */
};

__extension__ typedef __int128 wide;

struct loss {
    int64_t host, wait, work; /* ticks */
};

/* Changes since the previous reading of the clocks. A context switch that is due tends to
 * happen during the system call that reads the CPU clock. Then the clocks are read a
 * second time, and the time between the two readings is lost as well. */
struct change {
    int noticed; /* true if the thread has left its core since the previous check */
    int64_t elapsed, lost; /* ticks */
    int64_t late;          /* ticks lost while the clocks were read */
    int64_t spent;         /* ticks for the reading itself */
    struct loss loss;      /* causes of `lost` */
};

static int64_t ticks_of(const struct mm_recorder *r, int64_t ns)
{
    return (int64_t)((wide)ns * r->ticks_per_ns >> 32);
}

static int64_t ns_of(const struct mm_recorder *r, int64_t ticks)
{
    return (int64_t)((wide)ticks * 1000000000 / ticks_of(r, 1000000000));
}

/* Return the total time in ns in which the thread was ready to run but did not run; -1:
 * unknown. It is the second number in the kernel's file schedstat. */
static int64_t run_delay(void)
{
    char text[64];
    int saved = errno;
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat",
                      O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? -1 : syscall(SYS_pread64, fd, text, sizeof text - 1, 0);
    const char *at = text;
    int64_t delay = 0;

    if (fd >= 0)
        syscall(SYS_close, fd);
    errno = saved;
    if (n <= 0)
        return -1;
    text[n] = '\0';
    while (*at && *at != ' ')
        at++;
    if (!*at)
        return -1;
    for (at++; *at >= '0' && *at <= '9'; at++)
        delay = 10 * delay + (*at - '0');
    return delay;
}

/* Arm the word that the kernel clears (rseq.h). Returns 1 if it has changed since it was
 * last armed. */
static int arm(struct mm_core *core)
{
    uint64_t armed;

    if (core->word == &core->armed || *core->word == core->armed)
        return 0;
    armed = mm_rseq_arm((volatile uint64_t *)core->word, core->armed);
    core->foreign += !armed;
    core->armed = armed ? armed : *core->word;
    return 1;
}

/* Stop using the thread's word (rseq.h), because other users store their own values in
 * it; read the clocks more often instead. */
static void give_up(struct mm_thread *t)
{
    struct mm_core *core = &t->core;

    core->word = &core->armed;
    core->period = (uint64_t)ticks_of(t->recorder, MM_CORE_SHORT_NS);
}

/* Divide the time lost between two readings into time taken by the host and time waited,
 * according to the context switches between them. `late`: time lost while the clocks were
 * read. Lost time inside MPI counts as waiting, so that time outside MPI is not reduced
 * by it. */
static struct loss split(struct mm_thread *t, int64_t lost, int64_t late,
                         uint32_t voluntary, uint32_t involuntary)
{
    struct mm_core *core = &t->core;
    int64_t lost_ns = ns_of(t->recorder, lost);
    int64_t in_mpi = *t->mpi - core->mpi_ns, delay;
    struct loss loss = {0, lost, 0};

    core->delay_ns += involuntary || voluntary ? lost_ns + ns_of(t->recorder, late) : 0;
    in_mpi = in_mpi < 0 ? 0 : in_mpi > lost_ns ? lost_ns : in_mpi;
    if (!voluntary) {
        loss.wait = in_mpi == lost_ns ? lost : ticks_of(t->recorder, in_mpi);
        loss.host = lost - loss.wait;
        return loss;
    }
    if (in_mpi >= lost_ns / 2 && in_mpi > 0)
        return loss;
    delay = lost_ns >= LONG_WAIT_NS ? run_delay() : -1;
    if (delay >= 0) {
        loss.host = ticks_of(t->recorder, delay - (core->delay_ns - lost_ns));
        /* The kernel's run delay also contains delays before this loss, which are
         * subtracted. If the rest is larger than the lost time, or negative, the host's
         * share is unknown, and all of the lost time counts as waiting. */
        if (loss.host < 0 || loss.host > lost)
            loss.host = 0;
        loss.wait = lost - loss.host;
        core->delay_ns = delay;
    }
    return loss;
}

/* Return the time that the thread has lost since its previous reading. */
static int64_t lost_since(const struct mm_thread *t, uint64_t ticks, int64_t cpu_ns)
{
    const struct mm_core *core = &t->core;
    int64_t lost =
        (int64_t)(ticks - core->ticks) - ticks_of(t->recorder, cpu_ns - core->cpu_ns);

    return core->ticks && lost > 0 ? lost : 0;
}

/* Read wall time, CPU time and switches together. Returns 1 if the thread has left its
 * core since the previous check, according to the word or to the duration of the
 * readings. */
static int read_both(struct mm_thread *t, uint64_t *ticks, int64_t *cpu_ns,
                     struct rusage *use, int64_t *lost_first)
{
    const struct mm_recorder *r = t->recorder;
    struct mm_core *core = &t->core;
    int64_t most = ticks_of(r, LONGEST_READING_NS);
    int noticed = 0, again;

    for (int i = 0; i < MOST_REPEATS; i++) {
        noticed |= arm(core);
        *ticks = mm_clock_ticks(r->tsc);
        *cpu_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (!i)
            *lost_first = lost_since(t, *ticks, *cpu_ns);
        syscall(SYS_getrusage, RUSAGE_THREAD, use);
        again = *core->word != core->armed ||
                (int64_t)(mm_clock_ticks(r->tsc) - *ticks) > most;
        if (!again)
            break;
        noticed = 1;
    }
    return noticed;
}

static struct change read_clocks(struct mm_thread *t)
{
    const struct mm_recorder *r = t->recorder;
    struct mm_core *core = &t->core;
    int64_t cpu_ns, most = ticks_of(r, 2 * r->reading_ns);
    struct rusage use = {0};
    struct change c;
    uint64_t ticks;

    c.noticed = read_both(t, &ticks, &cpu_ns, &use, &c.lost);
    c.elapsed = (int64_t)(ticks - core->ticks);
    c.late = lost_since(t, ticks, cpu_ns) - c.lost;
    if (c.late < 0)
        c.late = 0;
    c.loss = split(t, c.lost, c.late, (uint32_t)use.ru_nvcsw - core->voluntary,
                   (uint32_t)use.ru_nivcsw - core->involuntary);
    core->ticks = ticks;
    core->cpu_ns = cpu_ns;
    core->voluntary = (uint32_t)use.ru_nvcsw;
    core->involuntary = (uint32_t)use.ru_nivcsw;
    core->mpi_ns = *t->mpi;
    core->due = ticks + core->period;
    c.spent = (int64_t)(mm_clock_ticks(r->tsc) - ticks);
    if (c.spent > most) /* the next reading will find any additional lost time */
        c.spent = most;
    if (core->foreign > MOST_FOREIGN)
        give_up(t);
    return c;
}

static void add_loss(struct mm_thread *t, struct mm_frame *frame, struct loss loss)
{
    struct mm_off_core *losses = mm_thread_losses(t, frame);

    if (!frame->lost)
        *losses = (struct mm_off_core){0};
    losses->host_own += loss.host;
    losses->wait_own += loss.wait;
    losses->work_own += loss.work;
    frame->lost = 1;
}

/* Limit the losses of a call itself to `own` ticks. Returns the rest, which occurred just
 * before or after the call. */
static struct loss cut_losses(struct mm_off_core *losses, int64_t own)
{
    int64_t wait = losses->wait_own < own ? losses->wait_own : own;
    int64_t host = losses->host_own < own - wait ? losses->host_own : own - wait;
    int64_t left = own - wait - host;
    int64_t work = losses->work_own < left ? losses->work_own : left;
    struct loss rest = {losses->host_own - host, losses->wait_own - wait,
                        losses->work_own - work};

    losses->host_own = host;
    losses->wait_own = wait;
    losses->work_own = work;
    return rest;
}

void mm_core_close(struct mm_thread *t, struct mm_frame *frame, uint64_t wall,
                   struct mm_off_core *losses)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    struct mm_off_core *caller = mm_thread_losses(t, below);
    int64_t own = (int64_t)(wall - frame->children);

    *losses = *mm_thread_losses(t, frame);
    frame->lost = 0;
    add_loss(t, below, cut_losses(losses, own > 0 ? own : 0));
    caller->host_below += losses->host_own + losses->host_below;
    caller->wait_below += losses->wait_own + losses->wait_below;
    caller->work_below += losses->work_own + losses->work_below;
}

/* Exclude two times from the invocation that continues after the reading: the time of the
 * reading itself, as work of the recorder, and the time lost during it, as the host's. */
static void leave_out(struct mm_thread *t, struct mm_frame *frame, const struct change *c)
{
    add_loss(t, frame, (struct loss){c->late, 0, c->spent});
}

void mm_core_work(struct mm_thread *t, struct mm_frame *frame, int64_t ticks)
{
    add_loss(t, frame, (struct loss){0, 0, ticks});
}

void mm_core_at_begin(struct mm_thread *t)
{
    struct change c;

    if (!t->on_file) {
        arm(&t->core);
        return;
    }
    c = read_clocks(t);
    add_loss(t, t->open, c.loss);
    leave_out(t, t->open, &c);
}

void mm_core_skip(struct mm_thread *t)
{
    if (t->on_file)
        read_clocks(t);
    else
        arm(&t->core);
}

/* If no context switch was noticed, find the call that was long enough to contain the
 * loss: the ending call, or its caller, which ran before it. */
static struct mm_frame *holder_of(const struct mm_thread *t, struct mm_frame *frame,
                                  int64_t own, const struct change *c)
{
    int64_t before = (int64_t)(frame->start - t->last_end);

    if (own >= c->lost && own >= c->elapsed / 2)
        return frame;
    if (!frame->children && before >= c->lost && before >= c->elapsed / 2)
        return frame->process[MM_FRAME_BELOW];
    return NULL;
}

/* A loss longer than the call occurred between the call's last clock reading and this
 * check. If the call is long, a part of the loss may belong to it. */
void mm_core_at_end(struct mm_thread *t, struct mm_frame *frame, uint64_t now)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW], *holder;
    int64_t own = (int64_t)(now - frame->start - frame->children), least;
    struct change c;

    if (!t->on_file) {
        arm(&t->core);
        return;
    }
    c = read_clocks(t);
    least = ticks_of(t->recorder, SMALLEST_NS);
    if (c.lost < (c.noticed ? least / 2 : least + (c.elapsed >> DRIFT_SHIFT)))
        c.lost = 0;
    if (c.noticed)
        holder = c.lost <= own + least || own > 10 * least ? frame : below;
    else
        holder = holder_of(t, frame, own, &c);
    if (c.lost && holder)
        add_loss(t, holder, c.loss);
    else
        t->core.unplaced_ticks += c.lost;
    c.spent += mm_pace_measure_again(t, now);
    leave_out(t, below, &c);
}

void mm_core_start(struct mm_thread *t)
{
    struct mm_core *core = &t->core;
    enum mm_rseq kind = t->recorder->options.is_apart ? MM_RSEQ_NONE : mm_rseq_kind();

    core->word = kind == MM_RSEQ_NONE ? &core->armed : mm_rseq_word();
    core->armed = UINT64_MAX; /* a value that the kernel's word never has */
    core->due = UINT64_MAX;
    arm(core);
    if (!t->on_file)
        return;
    core->period = (uint64_t)ticks_of(
        t->recorder, kind == MM_RSEQ_ALL ? MM_CORE_PERIOD_NS : MM_CORE_SHORT_NS);
    read_clocks(t);
    core->delay_ns = run_delay();
    if (core->delay_ns < 0)
        core->delay_ns = 0;
}

const char *mm_core_source(void)
{
    static const char *const names[] = {"clock", "rseq and clock", "rseq"};

    return names[mm_rseq_kind()];
}
