/* SPDX-License-Identifier: BSD-3-Clause */
/* simgrid.c: the program of engine.c with SimGrid (LGPL; where it is installed), model
 * CM02: an actor a process, four of them on a host with as many cores; a detached send is
 * an eager one.
 *
 *     simgrid PROCESSES STEPS      prints nanoseconds an operation, simulated seconds
 *
 * Exit 0; 2: misuse; 5: no memory or no file. */
#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>

#include "bench/bench.h"

enum { ROUNDS = 32 };

static int processes, steps;
static char payload;

static sg_mailbox_t mailbox_of(int from, int to)
{
    char name[40];

    snprintf(name, sizeof name, "%d-%d", from, to);
    return sg_mailbox_by_name(name);
}

static void send(sg_mailbox_t mailbox, long bytes)
{
    sg_comm_detach(sg_mailbox_put_init(mailbox, &payload, bytes), NULL);
}

static void process(int argc, char **argv)
{
    int pid = argc > 1 ? atoi(argv[1]) : 0, rounds = 0;
    sg_mailbox_t right = mailbox_of(pid, (pid + 1) % processes),
                 left = mailbox_of((pid + processes - 1) % processes, pid);
    sg_mailbox_t give[ROUNDS], take[ROUNDS];

    for (int d = 1; d < processes; d *= 2, rounds++) {
        give[rounds] = mailbox_of(pid, pid ^ d);
        take[rounds] = mailbox_of(pid ^ d, pid);
    }
    for (int s = 0; s < steps; s++) {
        sg_actor_execute(1e6); /* 1e-3 s */
        send(right, 1024);
        sg_mailbox_get(left);
        for (int r = 0; r < rounds; r++) {
            send(give[r], 8);
            sg_mailbox_get(take[r]);
        }
    }
}

/* Hosts of four cores, 1e9 operations a second; links of engine.c's networks. */
static int load_platform(void)
{
    char path[PATH_MAX];
    const char *parent = getenv("TMPDIR");
    FILE *file;
    int fd, bad;

    snprintf(path, sizeof path, "%s/simgrid-XXXXXX.xml", parent ? parent : "/tmp");
    fd = mkstemps(path, 4);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return -1;
    fprintf(file,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\">\n"
            "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-%d\" speed=\"1Gf\" "
            "core=\"4\" bw=\"1GBps\" lat=\"5us\" loopback_bw=\"1GBps\" "
            "loopback_lat=\"5us\"/>\n"
            "</platform>\n",
            (processes + 3) / 4 - 1);
    bad = fclose(file) != 0;
    if (!bad)
        simgrid_load_platform(path);
    unlink(path);
    return bad ? -1 : 0;
}

int main(int argc, char **argv)
{
    char *arguments[] = {argv[0], (char[]){"--cfg=network/model:CM02"},
                         (char[]){"--cfg=contexts/stack-size:16"},
                         (char[]){"--log=root.thres:critical"}, NULL};
    int count = 4;
    double start, took, operations = 0;

    processes = argc == 3 ? atoi(argv[1]) : 0;
    steps = argc == 3 ? atoi(argv[2]) : 0;
    if (processes < 2 || (processes & (processes - 1)) || steps < 1) {
        fputs("usage: simgrid PROCESSES STEPS\na power of two; at least one\n", stderr);
        return 2;
    }
    simgrid_init(&count, arguments);
    if (load_platform() != 0)
        return 5;
    for (int pid = 0; pid < processes; pid++) {
        char host[16], number[16], name[16];
        char *words[] = {name, number, NULL};

        snprintf(host, sizeof host, "n%d", pid / 4);
        snprintf(number, sizeof number, "%d", pid);
        snprintf(name, sizeof name, "p%d", pid);
        sg_actor_create(name, sg_host_by_name(host), process, 2, words);
    }
    start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    simgrid_run();
    took = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    for (int d = 1; d < processes; d *= 2)
        operations += 2;
    operations = (operations + 3) * processes * steps;
    printf("%.1f %.9g\n", took / operations * 1e9, simgrid_get_clock());
    return 0;
}
