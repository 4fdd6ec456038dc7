/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: read options shared by the verbs of mesh profiles. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/nearest.h"
#include "mastermind/cmd/mesh/mesh_verb.h"

int mesh_shape_read(const struct cca_given *option, int64_t shape[3])
{
    const char *text = cca_given_value(option), *at = text;
    int dims = 0;

    shape[0] = shape[1] = shape[2] = 1;
    while (dims < 3 && *at >= '0' && *at <= '9') {
        char *end;

        errno = 0;
        shape[dims] = strtoll(at, &end, 10);
        if (errno || shape[dims] < 1)
            break;
        at = end;
        dims++;
        if (*at != ',')
            break;
        at++;
    }
    if (dims && !*at && at[-1] != ',')
        return dims;
    mm_refuse(MM_EXIT_MISUSE,
              "'%s' for --shape, expected one to three numbers of cells, as 30,20,20",
              mm_safe(text));
    return 0;
}

struct mesh_profile *mesh_open(const char *experiment, const struct cca_given *name,
                               int *code)
{
    struct cca_error err = {0};
    struct mesh_profile *profile =
        mesh_profile_open(experiment, cca_given_value(name), &err);

    if (!profile)
        *code = mm_complain(&err);
    return profile;
}

int mesh_probe_find(const struct mesh_profile *profile, const struct cca_given *name,
                    const char *otherwise)
{
    const char *wanted = cca_given_value(name);
    int probe = mesh_profile_find_probe(profile, wanted      ? wanted
                                                 : otherwise ? otherwise
                                                             : "");
    struct cca_nearest nearest;
    char hint[128];

    if (probe >= 0 || (!wanted && mesh_profile_probes(profile)))
        return probe < 0 ? 0 : probe;
    if (!wanted) {
        mm_refuse(MM_EXIT_INPUT, "%s: found no probe",
                  mm_safe(mesh_profile_path(profile)));
        return -1;
    }
    cca_nearest_init(&nearest, wanted);
    for (int p = 0; p < mesh_profile_probes(profile); p++)
        cca_nearest_offer(&nearest, mesh_profile_probe(profile, p)->name);
    if (!nearest.best && mesh_profile_probes(profile))
        nearest.best = mesh_profile_probe(profile, 0)->name;
    mm_refuse(MM_EXIT_INPUT, "%s: found no probe '%s'%s",
              mm_safe(mesh_profile_path(profile)), mm_safe(wanted),
              cca_nearest_hint(nearest.best, hint, sizeof hint));
    return -1;
}

/* Read a whole number at `*at` and move `*at` behind it; 0: there is none. */
static int take_number(const char **at, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(*at, &end, 10);
    if (end == *at || errno || **at == ' ')
        return 0;
    *at = end;
    return 1;
}

int mesh_steps_read(const struct mesh_profile *profile, const struct cca_given *option,
                    size_t *first, size_t *end)
{
    size_t steps = mesh_profile_steps(profile);
    int64_t a = INT64_MIN, b = INT64_MAX;
    const char *text = cca_given_value(option), *at = text;
    int good = 1;

    *first = 0;
    *end = steps;
    if (!text)
        return -1;
    if (*at != ':')
        good = take_number(&at, &a);
    if (*at == ':' && *++at)
        good = good && take_number(&at, &b);
    else if (good && at > text && at[-1] != ':')
        b = a;
    if (!good || *at || at == text || b < a)
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for --step, expected A:B, A:, :B or A",
                         mm_safe(text));
    *first = mesh_profile_find_step(profile, a);
    *end = b == INT64_MAX ? steps : mesh_profile_find_step(profile, b + 1);
    if (*first < *end)
        return -1;
    if (!steps)
        return mm_refuse(MM_EXIT_INPUT, "%s: found no whole step",
                         mm_safe(mesh_profile_path(profile)));
    return mm_refuse(MM_EXIT_INPUT,
                     "%s: found no step %s, expected steps of %" PRId64 " to %" PRId64,
                     mm_safe(mesh_profile_path(profile)), mm_safe(text),
                     mesh_profile_step(profile, 0)->number,
                     mesh_profile_step(profile, steps - 1)->number);
}
