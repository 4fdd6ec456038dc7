/* SPDX-License-Identifier: BSD-3-Clause */
/* own_messages.h: the port by which a component reads this process's sampled messages. */
#ifndef MASTERMIND_COMPONENT_OWN_MESSAGES_H
#define MASTERMIND_COMPONENT_OWN_MESSAGES_H

#include "ports/messages_port.h"

/* State of the port, as a part of the component; nothing to free. */
struct mm_own_messages {
    struct messages_port port;
    char *const *folder; /* folder of the rank; NULL: not created yet */
    const int *rank;     /* rank in MPI_COMM_WORLD */
};

/* Initialise the port. `folder` and `rank` must outlive it. */
void mm_own_messages_init(struct mm_own_messages *own, char *const *folder,
                          const int *rank);

#endif
