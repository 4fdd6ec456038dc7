/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h: the sampling of messages in the wrappers around MPI.
 *
 * wrap.py puts hooks (hooks.h) into the wrappers; they ask the engine (messages/engine),
 * which knows no MPI. This is what hooks, communicators, the exchange of halves and the
 * life of it all share; all files but this one's users are compiled per flavour. */
#ifndef TAU_PORT_PMPI_MESSAGES_H
#define TAU_PORT_PMPI_MESSAGES_H

#include "messages/engine/engine.h"
#include "messages/join/batch.h"
#include "messages/join/join.h"
#include "messages/join/slots.h"
#include "messages/keep/keep.h"
#include "messages/words/words.h"

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
    struct mm_batches *batches; /* NULL but for via=batch */
    struct mm_slots *slots;     /* NULL but for via=slots */
    int process, processes, threads /* MPI_THREAD_MULTIPLE */;
};
extern struct pmpi_messages pmpi_messages;

/* The innermost open call of the recorder in the calling thread; method -1: none. Set by
 * the recorder's owner (struct meas_messages.set_caller). */
struct pmpi_caller {
    int32_t method, thread;
    uint64_t invocation;
};
void pmpi_caller_now(struct pmpi_caller *caller);

/* --- messages.c: what hooks hand over ------------------------------------------ */

/* The halves of one sampled message. They apply filters that only the sender knows
 * before; they go where the request's `via` says. Any thread; never wait. */
void pmpi_half_send(const struct mm_messages_half *half);
void pmpi_half_receive(const struct mm_messages_half *half);
/* Work that should happen now and then, in any hook: incoming batches, budget. Never
 * waits. */
void pmpi_messages_tick(void);

#endif
