/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate.c: run all measurements and write the machine file. */
#include "activity/calibrate/calibrate.h"

#include <string.h>
#include <unistd.h>

static void find_cpu(char *name, size_t size)
{
    FILE *in = fopen("/proc/cpuinfo", "re");
    char line[300];

    *name = '\0';
    while (in && !*name && fgets(line, sizeof line, in)) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon)
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (in)
        fclose(in);
}

int act_calibrate(struct act_calibration *c, const char *flavour, struct cca_error *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int rc;

    *c = (struct act_calibration){.cpu = ""};
    act_machine_usual(&c->machine);
    c->machine.cores = cores > 0 ? cores : 1;
    find_cpu(c->cpu, sizeof c->cpu);
    rc = act_measure_memory(c, err);
    if (!rc)
        act_measure_network(c, flavour);
    return rc;
}

static void print_measure(FILE *out, const char *key, const struct act_measure *m)
{
    fprintf(out, "# %-8s %.4g (half of the rounds %.4g to %.4g)\n", key, m->value, m->low,
            m->high);
}

int act_calibration_print(const struct act_calibration *c, FILE *out)
{
    fprintf(out, "# %s, measured by activity calibrate\n",
            *c->cpu ? c->cpu : "This machine");
    if (c->memory.known)
        print_measure(out, "memory", &c->memory);
    if (*c->missing) {
        fprintf(out, "# network: not measured: %s\n", c->missing);
    } else {
        fprintf(
            out,
            "# inside the node, two ranks of %s; latency is half a round trip of a byte "
            "less send and receive,\n# which are made smaller where they are more than "
            "it:\n",
            c->flavour);
        print_measure(out, "send", &c->send);
        print_measure(out, "receive", &c->receive);
        print_measure(out, "half", &c->half);
        print_measure(out, "gap", &c->gap);
        print_measure(out, "byte", &c->byte);
    }
    fputs("# between nodes: not measured, this is one node\n", out);
    return act_machine_print(&c->machine, out);
}
