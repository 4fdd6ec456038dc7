/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h: the sampling of messages in the wrappers around MPI.
 *
 * wrap.py puts hooks (hooks.h) into the wrappers; hooks call the engine
 * (messages/engine), which is independent of MPI. This header, without mpi.h, is shared
 * by hooks, communicators (comms.h), the exchange of records (exchange.h), and start and
 * end of sampling. */
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

/* 1 from MPI_Init to MPI_Finalize if sampling was requested, else 0: the first test of
 * each wrapper. __atomic, relaxed. */
extern int pmpi_sampling;

/* Set in MPI_Init, then constant except for the objects that the pointers refer to. */
struct pmpi_messages {
    struct mm_message_request request;
    struct mm_engine *engine;
    struct mm_keep *keep;
    struct mm_messages_head *head;
    struct mm_join *join; /* join of send and receive records; NULL: via=files */
    /* batches of records to other processes; NULL: via=files, or via=slots on a single
     * node */
    struct mm_batches *batches;
    struct mm_slots *slots; /* slots in shared memory; NULL unless via=slots */
    const char *slot_peer;  /* [processes] 1: the process shares the slots */
    int process, processes, threads /* threads: 1 with MPI_THREAD_MULTIPLE */;
    /* clock of this process, whose epoch is the start of sampling */
    struct mm_clock clock;
};
extern struct pmpi_messages pmpi_messages;
/* 1: sampling was begun, so a second call of pmpi_messages_begin has no effect; accessed
 * with __atomic */
extern int pmpi_messages_begun;
extern int pmpi_messages_off; /* 1: sampling was switched off by MPI_Pcontrol, or by the
                               * recorder; accessed with __atomic */
/* origin of the process's clock; defined in pmpi.c */
extern struct mm_clock_origin pmpi_origin;

/* --- Start and end (life.c): no effect if repeated, or if nothing was requested -- */

/* Start sampling: MPI_Init, in any form, has succeeded. Collective over
 * MPI_COMM_WORLD. */
void pmpi_messages_begin(void);
/* End sampling: MPI_Finalize is about to be called. Collective. */
void pmpi_messages_end(void);
/* Forget all state in a forked child: it belongs to the parent. */
void pmpi_messages_forget(void);

/* --- Called by hooks (messages.c). Any thread; these functions never wait -- */

/* The innermost open call of the recorder in the calling thread; method -1: none. */
void pmpi_caller_now(struct meas_caller *caller);

/* Deliver the records of one sampled message as the request's `via` demands. Times are
 * ticks as mm_clock_ticks(pmpi_tsc) returns them. The sender has applied site= and
 * method= before; min= is applied here. */
void pmpi_half_send(const struct mm_messages_half *half);
void pmpi_half_receive(const struct mm_messages_half *half);

/* Deliver a send record before PMPI is called, so that a receiver on the same node finds
 * it when its receive returns. Returns -1: not possible for this one, deliver it
 * afterwards. pmpi_half_sent does that, or it completes the early record, or takes it
 * back (`keep` 0). */
int64_t pmpi_half_send_early(const struct mm_messages_half *half);
void pmpi_half_sent(int64_t early, const struct mm_messages_half *half, int keep);

/* Store the record of this process's part in a sampled collective. */
void pmpi_collective_part(const struct mm_messages_collective *part);

/* Add to one of the counts in the header of the file of messages. */
static inline void pmpi_messages_count(enum mm_messages_count which, uint64_t amount)
{
    uint64_t *count = &pmpi_messages.head->counts[which];

    if (pmpi_messages.threads)
        __atomic_fetch_add(count, amount, __ATOMIC_RELAXED);
    else
        __atomic_store_n(count, *count + amount, __ATOMIC_RELAXED);
}

/* Periodic work, called in any hook: arrived batches, budget. It calls PMPI, so the
 * thread must be inside an MPI call. */
/* number of hooks run so far; accessed with __atomic, relaxed */
extern unsigned pmpi_ticks;
void pmpi_messages_tick_now(void);
static inline void pmpi_messages_tick(void)
{
    enum { EACH = 64 };
    unsigned ticks = __atomic_load_n(&pmpi_ticks, __ATOMIC_RELAXED) + 1;

    __atomic_store_n(&pmpi_ticks, ticks, __ATOMIC_RELAXED);
    if (__builtin_expect(ticks % EACH == 0, 0))
        pmpi_messages_tick_now();
}

/* --- For the files of this folder ----------------------------------------- */

/* Called by messages.c after it joined the two records of a message. */
void pmpi_messages_joined(void *context, const struct mm_messages_half *send,
                          const struct mm_messages_half *recv);
/* messages.c */
/* A communicator was made in a session: report once that nothing is sampled if MPI_Init
 * was not called, since then all processes never start together. */
void pmpi_messages_missed(void);
/* MPI_Pcontrol: switch sampling by sends on or off; counting goes on. */
void pmpi_messages_switch(int on);
/* Report and store why nothing is sampled. */
void pmpi_messages_unsampled(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Called when the file of messages, or its image in memory, was made or is about to be
 * freed. */
void pmpi_messages_kept(void);
void pmpi_messages_unkept(void);

/* budget.c, only if there is a budget: add ticks of work for samples; set the threshold
 * for the next interval; compute the new p if the work takes the part `share` of the
 * time. */
void pmpi_budget_spend(uint64_t ticks);
void pmpi_budget_seldom(uint64_t now);
double pmpi_budget_next(double p, double asked, double share, double budget);

/* comms.c: work that is needed a few times per second; one thread at a time. */
void pmpi_messages_seldom(uint64_t now);

/* The clock, calibrated from the start of the process until now. */
static inline void pmpi_clock_now(struct mm_clock *clock)
{
    mm_clock_calibrate(&pmpi_origin, clock);
}

#endif
