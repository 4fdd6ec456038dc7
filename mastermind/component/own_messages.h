/* SPDX-License-Identifier: BSD-3-Clause */
/* own_messages.h: the port by which a component asks for this process's messages. */
#ifndef MASTERMIND_COMPONENT_OWN_MESSAGES_H
#define MASTERMIND_COMPONENT_OWN_MESSAGES_H

#include "ports/messages_port.h"

/* Part of the component; nothing to free. */
struct mm_own_messages {
    struct messages_port port;
    char *const *folder; /* of the rank; NULL in it: not made yet */
    const int *rank;     /* in MPI_COMM_WORLD */
};

/* Fill in the port. What the pointers point to must live as long. */
void mm_own_messages_init(struct mm_own_messages *own, char *const *folder,
                          const int *rank);

#endif
