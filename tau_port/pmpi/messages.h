/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h: the sampling of messages in the wrappers around MPI.
 *
 * wrap.py puts hooks (hooks.h) into the wrappers; they ask the engine (messages/engine),
 * which knows no MPI. This is what hooks, communicators (comms.h), the exchange of halves
 * (exchange.h) and the life of it all share, without mpi.h. */
#ifndef TAU_PORT_PMPI_MESSAGES_H
#define TAU_PORT_PMPI_MESSAGES_H

#include "mastermind/format/clock.h"
#include "messages/engine/engine.h"
#include "messages/join/batch.h"
#include "messages/join/join.h"
#include "messages/join/slots.h"
#include "messages/keep/keep.h"
#include "messages/words/words.h"
#include "tau_port/pmpi/mpi_messages.h"

#include <stdint.h>

/* 1 from MPI_Init on where sampling was asked for, until MPI_Finalize: what each wrapper
 * tests first. Never set otherwise. __atomic, relaxed. */
extern int pmpi_sampling;

/* Set in MPI_Init, then constant but for what the pointers hold. */
struct pmpi_messages {
    struct mm_message_request request;
    struct mm_engine *engine;
    struct mm_keep *keep;
    struct mm_messages_head *head;
    struct mm_join *join;       /* NULL: via=files */
    struct mm_batches *batches; /* NULL: via=files; or via=slots, and one node */
    struct mm_slots *slots;     /* NULL but for via=slots */
    const char *slot_peer;      /* [processes] 1: shares the slots */
    int process, processes, threads /* MPI_THREAD_MULTIPLE */;
    struct mm_clock clock; /* epoch: the beginning of sampling */
};
extern struct pmpi_messages pmpi_messages;
extern int pmpi_messages_begun; /* once; __atomic */
extern int pmpi_messages_off;   /* by MPI_Pcontrol, or by the recorder; __atomic */
extern struct mm_clock_origin pmpi_origin; /* of the process; in pmpi.c */

/* --- Life (life.c): a second time, or if nothing is asked for, no effect -- */

/* Sampling begins: MPI_Init, in any form, has succeeded. Collective over
 * MPI_COMM_WORLD. */
void pmpi_messages_begin(void);
/* Sampling ends: MPI_Finalize is about to be called. Collective. */
void pmpi_messages_end(void);
/* In a forked child: all belongs to its parent. */
void pmpi_messages_forget(void);

/* --- What hooks hand over (messages.c). Any thread; they never wait ------- */

/* The innermost open call of the recorder in the calling thread; method -1: none. */
void pmpi_caller_now(struct meas_caller *caller);

/* The halves of one sampled message; they go where the request's `via` says. Times are
 * ticks as mm_clock_ticks(pmpi_tsc) gives them. The sender has applied site= and method=
 * before; min= is applied here. */
void pmpi_half_send(const struct mm_messages_half *half);
void pmpi_half_receive(const struct mm_messages_half *half);

/* A receiver on the same node finds the half of a send when the receive returns, if it
 * was handed over before PMPI was called: -1: not this one, hand it over afterwards.
 * pmpi_half_sent does that, or completes or takes back (`keep` 0) the early half. */
int64_t pmpi_half_send_early(const struct mm_messages_half *half);
void pmpi_half_sent(int64_t early, const struct mm_messages_half *half, int keep);

/* This process's part in a sampled collective. */
void pmpi_collective_part(const struct mm_messages_collective *part);

/* Add to a count of the head. */
static inline void pmpi_messages_count(enum mm_messages_count which, uint64_t amount)
{
    uint64_t *count = &pmpi_messages.head->counts[which];

    if (pmpi_messages.threads)
        __atomic_fetch_add(count, amount, __ATOMIC_RELAXED);
    else
        __atomic_store_n(count, *count + amount, __ATOMIC_RELAXED);
}

/* Work that should happen now and then, in any hook: incoming batches, budget. It calls
 * PMPI, so the thread must be inside a call of MPI. */
extern unsigned pmpi_ticks; /* __atomic, relaxed */
void pmpi_messages_tick_now(void);
static inline void pmpi_messages_tick(void)
{
    enum { EACH = 64 };
    unsigned ticks = __atomic_load_n(&pmpi_ticks, __ATOMIC_RELAXED) + 1;

    __atomic_store_n(&pmpi_ticks, ticks, __ATOMIC_RELAXED);
    if (__builtin_expect(ticks % EACH == 0, 0))
        pmpi_messages_tick_now();
}

/* --- Between the files of this folder ------------------------------------- */

/* messages.c: two halves have met, in messages/join. */
void pmpi_messages_joined(void *context, const struct mm_messages_half *send,
                          const struct mm_messages_half *recv);
/* messages.c */
/* A communicator was made in a session: reports, once, that nothing is sampled if
 * MPI_Init was not called, as there was no moment to begin at on all processes. */
void pmpi_messages_missed(void);
/* MPI_Pcontrol: sampling by sends goes on or off; counting goes on. */
void pmpi_messages_switch(int on);
/* Tell and keep why nothing is sampled. */
void pmpi_messages_unsampled(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* The keep is there; or it is about to go. */
void pmpi_messages_kept(void);
void pmpi_messages_unkept(void);

/* budget.c, only where there is a budget: ticks of work for samples; the threshold for
 * the next stretch of time; what p becomes where the work takes `share` of the time. */
void pmpi_budget_spend(uint64_t ticks);
void pmpi_budget_seldom(uint64_t now);
double pmpi_budget_next(double p, double asked, double share, double budget);

/* comms.c: work that is needed some times a second; one thread at a time. */
void pmpi_messages_seldom(uint64_t now);

/* The clock as calibrated from the start of the process until now. */
static inline void pmpi_clock_now(struct mm_clock *clock)
{
    mm_clock_calibrate(&pmpi_origin, clock);
}

#endif
