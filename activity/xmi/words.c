/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: stereotype names of our UML profile. */
#include "activity/xmi/parts.h"

#include <ctype.h>
#include <string.h>

static const char *const stereotypes[ACT_KINDS] = {
    [ACT_ACTION] = "ActionPlus",   [ACT_DO] = "Code",
    [ACT_SEND] = "Send",           [ACT_RECV] = "Receive",
    [ACT_ISEND] = "ISend",         [ACT_IRECV] = "IReceive",
    [ACT_WAIT] = "Wait",           [ACT_EXCHANGE] = "Exchange",
    [ACT_BCAST] = "Broadcast",     [ACT_REDUCE] = "Reduce",
    [ACT_ALLREDUCE] = "AllReduce", [ACT_BARRIER] = "Barrier",
    [ACT_ALLTOALL] = "AllToAll",   [ACT_PARALLEL] = "ParallelRegion",
    [ACT_CRITICAL] = "Critical",   [ACT_FORK] = "Fork",
    [ACT_BRANCH] = "Branch"};

const char *xmi_stereotype(enum act_kind kind)
{
    return stereotypes[kind];
}

/* Reduce a name to lower-case letters and digits, without "mpi" before and "plus"
 * after. */
static void reduce(const char *name, char *to, size_t room)
{
    size_t length = 0;

    for (; *name && length < room - 1; name++)
        if (isalnum((unsigned char)*name))
            to[length++] = (char)tolower((unsigned char)*name);
    to[length] = '\0';
    if (length > 4 && strcmp(to + length - 4, "plus") == 0)
        to[length - 4] = '\0';
    if (strncmp(to, "mpi", 3) == 0)
        memmove(to, to + 3, strlen(to + 3) + 1);
}

enum act_kind xmi_kind_of(const char *stereotype)
{
    char asked[40], own[40];

    if (!stereotype)
        return ACT_KINDS;
    reduce(stereotype, asked, sizeof asked);
    for (int k = 0; k < ACT_KINDS; k++) {
        reduce(stereotypes[k] ? stereotypes[k] : "", own, sizeof own);
        if (*asked && (strcmp(asked, own) == 0 ||
                       strcmp(asked, act_kind_name((enum act_kind)k)) == 0))
            return (enum act_kind)k;
    }
    return ACT_KINDS;
}
