/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_inside.h: functions shared by the files of hooks. */
#ifndef TAU_PORT_PMPI_HOOKS_INSIDE_H
#define TAU_PORT_PMPI_HOOKS_INSIDE_H

#include "tau_port/pmpi/hooks.h"

static inline uint64_t pmpi_now(void)
{
    return mm_clock_ticks(pmpi_tsc);
}

/* Set the callsite and the running method in a record. */
void pmpi_half_where(struct mm_messages_half *half, void *site);
/* Process all receives whose serials have become known. */
void pmpi_drain(void);
/* Process receive `r`, which has completed in a call that began at t_enter and returned
 * at t_end. */
void pmpi_complete(struct mm_receive *r, uint64_t t_enter, uint64_t t_end, int result,
                   const MPI_Status *status, void *site);
/* Whether the receive failed without taking a message. Sets TRUNCATED in `flags`. */
int pmpi_failed(int result, uint16_t *flags);
void pmpi_half_bytes(struct mm_messages_half *half, const MPI_Status *status);

/* Hash table from handles to pointers or small structs, without the heap
 * (hooks_handles.c). */
struct pmpi_handle {
    uintptr_t handle; /* MPI handle of the message or request, the key of the entry */
    struct mm_receive *receive; /* the receive of a matched message; NULL: entry of a
                                   persistent request */
    MPI_Comm comm;
    int used, sends, peer, tag;
    uint64_t bytes;
};

enum pmpi_handles { PMPI_MESSAGES, PMPI_PERSISTENT, PMPI_HANDLE_TABLES };
int pmpi_handle_put(enum pmpi_handles table, const struct pmpi_handle *handle);
/* Find the entry of a handle. Returns 1 with a copy of the entry, or 0 if there is
 * none. */
int pmpi_handle_find(enum pmpi_handles table, uintptr_t handle,
                     struct pmpi_handle *found);
void pmpi_handle_remove(enum pmpi_handles table, uintptr_t handle);
int pmpi_handle_count(enum pmpi_handles table);

#endif
