/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: the program mesh-agent writes the mesh data of programs (mm_mesh.h) to profiles
 * in an experiment. */
#include <stdio.h>
#include <string.h>

#include "mesh/agent/parts.h"
#include "mesh/probe/shared.h"

static const char usage[] =
    "mesh-agent local EXPERIMENT SESSION\n"
    "mesh-agent global EXPERIMENT\n"
    "\n"
    "The local agent, one on each node, takes the mesh profiles that programs of a "
    "session\n"
    "leave in shared memory, packs them, and sends them to the global agent, which it\n"
    "starts where there is none. The global agent writes EXPERIMENT/mesh/NAME.cells. "
    "Both\n"
    "end when nobody is left to serve. `ccafe` and `mastermind record` start them "
    "(--cells);\n"
    "a program elsewhere runs with MASTERMIND_RECORD_CELLS=all and "
    "MM_MESH_SESSION=SESSION.\n"
    "\n"
    "Exit status: 0 done, 2 misuse, 3 bad input, 5 I/O or memory.\n";

static int session_holds(const char *session)
{
    size_t length = strspn(session, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789");

    return length > 0 && length < MESH_SESSION_BYTES && !session[length];
}

int main(int argc, char **argv)
{
    if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
        fputs(usage, stdout);
        return fflush(stdout) ? MESH_AGENT_SYSTEM : 0;
    }
    if (argc == 3 && strcmp(argv[1], "global") == 0)
        return mesh_agent_global(argv[2]);
    if (argc == 4 && strcmp(argv[1], "local") == 0) {
        if (session_holds(argv[3]))
            return mesh_agent_local(argv[2], argv[3]);
        fprintf(stderr,
                "mesh-agent: found a session that is not 1 to %d letters and "
                "digits\n",
                MESH_SESSION_BYTES - 1);
        return MESH_AGENT_MISUSE;
    }
    fprintf(stderr, "mesh-agent: expected local EXPERIMENT SESSION or global EXPERIMENT; "
                    "mesh-agent -h prints help\n");
    return MESH_AGENT_MISUSE;
}
