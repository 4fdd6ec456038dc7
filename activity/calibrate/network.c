/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c: messages within the node. Another program measures them on two ranks,
 * because this one is not linked with MPI. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity/calibrate/calibrate.h"
#include "common/beside.h"
#include "common/child.h"

/* Find the path of the measuring program, such as "activity-ping_openmpi". Returns 1 if
 * the program can be run. */
static int find_program(const char *flavour, char *path, size_t size)
{
    char below[80];

    snprintf(below, sizeof below, "../libexec/mastermind/activity-ping_%.20s", flavour);
    return cca_path_beside(path, size, below) == 0 && access(path, X_OK) == 0;
}

static int has_launcher(const char *flavour)
{
    char command[100];

    snprintf(command, sizeof command, "command -v mpirun.%.20s >/dev/null 2>&1", flavour);
    return system(command) == 0; /* NOLINT: the command is a constant */
}

static void take_line(struct act_calibration *c, const char *line)
{
    const struct {
        const char *name;
        struct act_measure *measure;
    } all[] = {{"send", &c->send}, {"receive", &c->receive}, {"half", &c->half},
               {"gap", &c->gap},   {"eager", &c->eager},     {"byte", &c->byte}};
    struct act_measure m = {.known = 1};
    char name[20];

    if (sscanf(line, "%19s %lf %lf %lf", name, &m.value, &m.low, &m.high) != 4)
        return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            *all[i].measure = m;
}

static int run_program(struct act_calibration *c, const char *flavour, const char *path)
{
    /* Open MPI needs more options if root starts it or there are fewer cores than
     * ranks. */
    const char *open_mpi[] = {"timeout",
                              "60",
                              "mpirun.openmpi",
                              "--allow-run-as-root",
                              "--oversubscribe",
                              "-n",
                              "2",
                              path,
                              NULL};
    const char *mpich[] = {"timeout", "60", "mpirun.mpich", "-n", "2", path, NULL};
    char *text, *rest, *line;
    int status = cca_child_capture(strcmp(flavour, "openmpi") == 0 ? open_mpi : mpich, 0,
                                   &text, NULL);

    rest = text;
    while (rest && (line = strsep(&rest, "\n")))
        take_line(c, line);
    free(text);
    return status == 0 && c->send.known && c->receive.known && c->half.known &&
           c->gap.known && c->eager.known && c->byte.known;
}

void act_measure_network(struct act_calibration *c, const char *flavour)
{
    static const char *const flavours[] = {"openmpi", "mpich"};
    struct act_network *inside = &c->machine.networks[ACT_INSIDE];
    char path[4096];

    snprintf(c->missing, sizeof c->missing,
             "no MPI that this program was built for, with its mpirun");
    for (int i = 0; i < 2; i++) {
        if ((flavour && strcmp(flavour, flavours[i]) != 0) ||
            !find_program(flavours[i], path, sizeof path) || !has_launcher(flavours[i]))
            continue;
        if (!run_program(c, flavours[i], path)) {
            snprintf(c->missing, sizeof c->missing,
                     "mpirun.%s of activity-ping_%s on two ranks failed", flavours[i],
                     flavours[i]);
            continue;
        }
        snprintf(c->flavour, sizeof c->flavour, "%s", flavours[i]);
        c->missing[0] = '\0';
        inside->send_s = c->send.value;
        inside->receive_s = c->receive.value;
        inside->latency_s = c->half.value - c->send.value - c->receive.value;
        if (inside->latency_s < 0) { /* the measured send and receive each include the
                                      * time of reading a clock, so their sum can exceed
                                      * half a round trip, which is more exact */
            inside->send_s *= c->half.value / (c->send.value + c->receive.value);
            inside->receive_s = c->half.value - inside->send_s;
            inside->latency_s = 0;
        }
        inside->gap_s = c->gap.value;
        inside->byte_s = c->byte.value;
        inside->eager = (int64_t)c->eager.value;
        return;
    }
}
