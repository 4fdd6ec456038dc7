/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c: a lock so that each session has one local agent on a node. */
#include "mesh/agent/parts.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "mesh/probe/shared.h"

int mesh_agent_lock(const char *session)
{
    char name[MESH_SESSION_BYTES + 40];

    snprintf(name, sizeof name, "mm_mesh-%u-%s-local", (unsigned)geteuid(), session);
    return address_lock(name);
}

int mesh_agent_is_locked(const char *session)
{
    int fd = mesh_agent_lock(session);

    if (fd >= 0)
        close(fd);
    return fd == -EADDRINUSE;
}
