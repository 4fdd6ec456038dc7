/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h: halves of sends on their way to the receiving processes: batches as
 * messages of our own, slots of a node; and what processes tell each other at the end.
 * Compiled once per flavour of MPI, but without its types. */
#ifndef TAU_PORT_PMPI_EXCHANGE_H
#define TAU_PORT_PMPI_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "messages/join/join.h"

/* The communicator of all processes, with errors returned. Its calls are
 * collective; they wait. */
int pmpi_world_open(void); /* 0 or -1 */
void pmpi_world_close(void);
/* The least value that a process gives. */
int64_t pmpi_world_least(int64_t value);

/* Make batches, slots and what they need, by pmpi_messages.request. 0 or a negative errno
 * with err; local. Then pmpi_exchange_meet, collective, where all have succeeded. */
int pmpi_exchange_begin(struct cca_error *err);
int pmpi_exchange_meet(void); /* 0 or -1 */
/* Send what is asked for, take what has come; `flush`: send batches that are not full,
 * too. Never waits. One thread at a time. */
void pmpi_exchange_poll(int flush);
/* True if a batch waits to be sent by pmpi_exchange_poll. */
int pmpi_exchange_asked(void);
/* Wait until all that was sent to this process has come. Collective. */
void pmpi_exchange_drain(void);
/* Compare the counts of channels with those of their other ends; flag those that differ.
 * Collective. */
void pmpi_exchange_compare(void);
void pmpi_exchange_end(void);

/* clocks.c: find the offsets of clocks, at the beginning and at the end: a point each
 * in the head. Collective. */
void pmpi_clocks_begin(void); /* local, the first of all */
void pmpi_clocks_meet(void);
void pmpi_clocks_end(void);
void pmpi_clocks_free(void);
/* How ticks of the process `sender` become ours, at our time `now`. */
void pmpi_clocks_between(int sender, uint64_t now, struct mm_message_clocks *clocks);
/* Ticks as a test has them shifted (MM_CLOCK_SHIFT); what clocks give otherwise. */
extern int pmpi_clock_shifted;
uint64_t pmpi_clock_shift(uint64_t ticks);

#endif
