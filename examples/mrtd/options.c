/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: the command line of mrtd. */
#include "examples/mrtd/options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { WHOLE, PLACE, REAL, TEXT, FLAG };

struct option {
    const char *name, *value, *help;
    enum kind kind;
    size_t offset;
    double least, most;
};

#define AT(member) offsetof(struct mrtd_options, member)
static const struct option all_options[] = {
    {"cells", "NX,NY,NZ", "cells (30,20,20)", PLACE, AT(n), 1, 65536},
    {"steps", "N", "time steps (300)", WHOLE, AT(steps), 0, 1e6},
    {"threshold", "E", "wavelets below E are left out; 0: none (2e-4)", REAL,
     AT(threshold), 0, 1e30},
    {"courant", "X", "time step over its limit (.5)", REAL, AT(courant), 1e-6, 10},
    {"cell", "METRES", "side of a cell (.01)", REAL, AT(cell_m), 1e-30, 1e30},
    {"source", "I,J,K", "the cell that radiates (6,5,5)", PLACE, AT(source), -1, 65535},
    {"width", "CELLS", "length of its Gaussian pulse (2)", REAL, AT(width_cells), 1e-3,
     1e6},
    {"absorb", "CELLS", "layer at each wall that absorbs (3)", WHOLE, AT(absorb), 0,
     1000},
    {"mode", "P,Q,R", "start from this mode of the box, without source", PLACE, AT(mode),
     0, 1000},
    {"partitioner", "NAME", "rcb, rcb:planes, hilbert, greedy, random:SEED (rcb)", TEXT,
     AT(partitioner), 0, 0},
    {"policy", "NAME", "never, fixed:N, expect, ...: when to repartition (never)", TEXT,
     AT(policy), 0, 0},
    {"price", "WORK", "of a repartition, in active coefficients, or 1x (4x)", TEXT,
     AT(price), 0, 0},
    {"move", "WORK", "of a cell moved; with x: of all cells (0)", TEXT, AT(move), 0, 0},
    {"decide", "STEPS", "between questions to a policy that looks at loads (20)", WHOLE,
     AT(decide), 1, 1e6},
    {"schedule", "FILE", "run the schedule that `mastermind balance --schedule` wrote",
     TEXT, AT(schedule), 0, 0},
    {"profile", "NAME", "name of the mesh in a profile (field)", TEXT, AT(profile), 0, 0},
    {"pace", "MS", "wait in each step, that agents keep up (0)", WHOLE, AT(pace_ms), 0,
     1e6},
    {"watch", "I,J,K", "print E of this cell at each step", PLACE, AT(watch), 0, 65535},
    {"energy", NULL, "report the energy of the first and the last step", FLAG, AT(energy),
     0, 0},
    {"dump", "FILE", "write all coefficients at the end", TEXT, AT(dump), 0, 0},
    {"moves", "FILE", "write redistributions and their CPU time as CSV", TEXT, AT(moves),
     0, 0},
    {"times", "FILE", "write CPU time and work of each step and rank as CSV", TEXT,
     AT(times), 0, 0},
    {"json", NULL, "report as JSON", FLAG, AT(json), 0, 0},
};
enum { OPTIONS = sizeof all_options / sizeof all_options[0] };

static int print_help(void)
{
    puts("usage: mrtd [OPTIONS]\n"
         "Electromagnetic waves in 3-D by Haar wavelets (MRTD); under mpiexec on several "
         "ranks.\n");
    for (const struct option *o = all_options; o < all_options + OPTIONS; o++) {
        char left[40];

        snprintf(left, sizeof left, "--%s %s", o->name, o->value ? o->value : "");
        printf("  %-22s %s\n", left, o->help);
    }
    return 1;
}

static int refuse(const struct option *o, const char *found, int speak)
{
    if (speak && (o->kind == WHOLE || o->kind == REAL || o->kind == PLACE))
        fprintf(stderr, "mrtd: --%s: found '%s', expected %s from %g to %g\n", o->name,
                found ? found : "nothing", o->value, o->least, o->most);
    else if (speak)
        fprintf(stderr, "mrtd: --%s: found '%s', expected %s of at most %d bytes\n",
                o->name, found ? found : "nothing", o->value, MRTD_PATH_BYTES - 1);
    return 2;
}

/* Read a number between o->least and o->most; *end is its end. Returns 0, or -EINVAL. */
static int read_number(const struct option *o, const char *text, double *value,
                       const char **end)
{
    char *stop;

    errno = 0;
    *value = strtod(text, &stop);
    *end = stop;
    if (stop == text || errno == ERANGE || !(*value >= o->least && *value <= o->most))
        return -EINVAL;
    return o->kind == REAL || *value == rint(*value) ? 0 : -EINVAL;
}

static int read_place(const struct option *o, const char *text, int32_t place[3])
{
    int32_t found[3];

    for (int d = 0; d < 3; d++) {
        double value;

        if (read_number(o, text, &value, &text) || *text != (d < 2 ? ',' : '\0'))
            return -EINVAL;
        found[d] = (int32_t)value;
        text += d < 2;
    }
    memcpy(place, found, sizeof found);
    return 0;
}

static int read_value(const struct option *o, struct mrtd_options *options,
                      const char *text)
{
    void *to = (char *)options + o->offset;
    const char *end;
    double value;

    if (o->kind == TEXT) {
        if (strlen(text) >= MRTD_PATH_BYTES)
            return -ENAMETOOLONG;
        strcpy(to, text);
        return 0;
    }
    if (o->kind == PLACE)
        return read_place(o, text, to);
    if (read_number(o, text, &value, &end) || *end)
        return -EINVAL;
    if (o->kind == REAL)
        memcpy(to, &value, sizeof value);
    else
        *(int32_t *)to = (int32_t)value;
    return 0;
}

static const struct option *find_option(const char *word)
{
    for (const struct option *o = all_options; o < all_options + OPTIONS; o++)
        if (!strncmp(word, "--", 2) && !strcmp(word + 2, o->name))
            return o;
    return NULL;
}

static int check_place(const char *name, const int32_t place[3], const int32_t n[3],
                       int speak)
{
    int within = place[0] < 0 || (place[0] < n[0] && place[1] >= 0 && place[1] < n[1] &&
                                  place[2] >= 0 && place[2] < n[2]);

    if (!within && speak)
        fprintf(stderr, "mrtd: --%s: found %d,%d,%d, expected a cell of %d x %d x %d\n",
                name, place[0], place[1], place[2], n[0], n[1], n[2]);
    return within ? 0 : 2;
}

/* Check options that depend on each other. */
static int check_options(struct mrtd_options *o, int speak)
{
    if ((int64_t)o->n[0] * o->n[1] * o->n[2] > MRTD_CELLS_MOST) {
        if (speak)
            fprintf(stderr, "mrtd: --cells: found %d,%d,%d, expected at most %d cells\n",
                    o->n[0], o->n[1], o->n[2], MRTD_CELLS_MOST);
        return 2;
    }
    if (o->policy[0] && o->schedule[0]) {
        if (speak)
            fprintf(stderr, "mrtd: found --policy and --schedule, expected one\n");
        return 2;
    }
    if (o->mode[0] >= 0)
        o->source[0] = -1;
    return check_place("source", o->source, o->n, speak) ||
                   check_place("watch", o->watch, o->n, speak)
               ? 2
               : 0;
}

int mrtd_options_read(struct mrtd_options *options, int argc, char *const argv[],
                      int speak)
{
    *options = (struct mrtd_options){.n = {30, 20, 20},
                                     .steps = 300,
                                     .threshold = 2e-4,
                                     .courant = .5,
                                     .cell_m = .01,
                                     .source = {6, 5, 5},
                                     .width_cells = 2,
                                     .absorb = 3,
                                     .mode = {-1, -1, -1},
                                     .watch = {-1, -1, -1},
                                     .decide = 20};
    int placed = 0;

    strcpy(options->price, "4x");
    strcpy(options->move, "0");
    strcpy(options->partitioner, "rcb");
    strcpy(options->profile, "field");
    for (int i = 1; i < argc; i++) {
        const struct option *o = find_option(argv[i]);

        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return speak ? print_help() : 1;
        if (!o) {
            if (speak)
                fprintf(stderr, "mrtd: found '%s', expected an option; see mrtd --help\n",
                        argv[i]);
            return 2;
        }
        placed |= o->offset == AT(source);
        if (o->kind == FLAG)
            *(int32_t *)((char *)options + o->offset) = 1;
        else if (i + 1 == argc || read_value(o, options, argv[i + 1]))
            return refuse(o, i + 1 < argc ? argv[i + 1] : NULL, speak);
        else
            i++;
    }
    for (int d = 0; d < 3 && !placed; d++) /* the default fits every box */
        if (options->source[d] >= options->n[d])
            options->source[d] = options->n[d] / 2;
    return check_options(options, speak);
}

double mrtd_options_step(const struct mrtd_options *options)
{
    return options->courant / sqrt(3);
}
