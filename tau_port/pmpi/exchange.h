/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h: carry records of sends to the receiving processes, as batches in messages
 * of our own or by shared memory of a node (slots); and exchange counts at the end.
 * Compiled once per flavour of MPI, but without its types. */
#ifndef TAU_PORT_PMPI_EXCHANGE_H
#define TAU_PORT_PMPI_EXCHANGE_H

#include <stdint.h>

#include "messages/join/join.h"

/* Make the communicator of all processes, which returns errors. Functions on it are
 * collective; they wait. */
int pmpi_world_open(void); /* copies MPI_COMM_WORLD for our use; returns 0 or -1 */
void pmpi_world_close(void);
/* Minimum of a value over all processes. */
int64_t pmpi_world_least(int64_t value);

/* Make batches, slots and buffers, as pmpi_messages.request demands. Returns 0 or a
 * negative errno with err; local. Then call pmpi_exchange_meet, collective, if all
 * processes have succeeded. */
int pmpi_exchange_begin(struct cca_error *err);
int pmpi_exchange_meet(void); /* 0 or -1 */
/* Send the requested batches, receive arrived ones; `flush`: send batches that are not
 * full, too. Never waits. One thread at a time. */
void pmpi_exchange_poll(int flush);
/* Whether a batch waits to be sent by pmpi_exchange_poll. */
int pmpi_exchange_asked(void);
/* Wait until all batches for this process have arrived. Collective. */
void pmpi_exchange_drain(void);
/* Compare the counts of channels with those at their other ends, and flag channels that
 * differ. Collective. */
void pmpi_exchange_compare(void);
void pmpi_exchange_end(void);

/* clocks.c: find the offsets of clocks, at the start and at the end; each adds a point to
 * the header. Collective. */
void pmpi_clocks_begin(void); /* local; called before all other functions on clocks */
void pmpi_clocks_meet(void);
void pmpi_clocks_end(void);
void pmpi_clocks_free(void);
/* The conversion of ticks of process `sender` to ours, at our time `now`. */
void pmpi_clocks_between(int sender, uint64_t now, struct mm_message_clocks *clocks);
/* pmpi_clock_shift returns ticks shifted for a test (MM_CLOCK_SHIFT), otherwise
 * unchanged. */
extern int pmpi_clock_shifted;
uint64_t pmpi_clock_shift(uint64_t ticks);

#endif
