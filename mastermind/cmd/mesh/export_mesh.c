/* SPDX-License-Identifier: BSD-3-Clause */
/* export_mesh.c: mesh profiles in formats of other tools. */
#include <errno.h>

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/convert/lbaf/export.h"
#include "mesh/convert/vtk/export.h"

enum { OUTPUT, PROFILE, STEP, PROBE = STEP };

#define OUTPUT_OPTION                                                                    \
    [OUTPUT] = {"--output", "DIR",                                                       \
                "the directory to make; it must not exist, or be empty", "-o"}
#define PROFILE_OPTION                                                                   \
    [PROFILE] = {"--profile", "NAME", "the profile, where the experiment has several"}

static const struct cca_option lbaf_options[] = {
    OUTPUT_OPTION,
    PROFILE_OPTION,
    [PROBE] = {"--probe", "P",
               "the time of the tasks; by default time, or the first probe"},
};

static const struct cca_option vtk_options[] = {
    OUTPUT_OPTION,
    PROFILE_OPTION,
    [STEP] = {"--step", "A:B", "only these steps"},
};

static int finish(struct mesh_profile *profile, struct mesh_look *look, int result,
                  const struct cca_error *err)
{
    mesh_look_end(look);
    mesh_profile_close(profile);
    if (result == -ENOTSUP)
        return mm_refuse(MM_EXIT_INPUT, "%s", mm_safe(err->text));
    return result ? mm_complain(err) : mm_finish_output(MM_EXIT_DONE);
}

static int export_vtk_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mesh_look look = {.what = "export"};
    struct mesh_vtk_steps steps;
    struct mesh_profile *profile;
    struct cca_error err = {0};
    int result;

    if (args->count != 1 || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE, "export vtk takes an experiment and -o DIR");
    profile = mesh_open(args->words[0], &options[PROFILE], &result);
    if (!profile)
        return result;
    result = mesh_steps_read(profile, &options[STEP], &steps.first, &steps.end);
    if (result >= 0) {
        mesh_profile_close(profile);
        return result;
    }
    result = mesh_export_vtk(profile, steps, cca_given_value(&options[OUTPUT]),
                             mesh_look_on, &look, &err);
    return finish(profile, &look, result, &err);
}

const struct cca_verb mm_verb_export_vtk = {
    .name = "export",
    .formats = (const char *const[]){"vtk", NULL},
    .examples = "mastermind export vtk field.mm -o field.vtk\n",
    .about = "Write a mesh profile for VTK and ParaView, which open NAME.pvd: a .vti for "
             "each step of a grid, a .vthb with boxes where there are levels, a .vtu of "
             "elements.\n",
    CCA_OPTIONS(vtk_options),
    .run = export_vtk_verb,
};

static int export_lbaf_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mesh_look look = {.what = "export"};
    struct mm_experiment *experiment;
    struct mesh_profile *profile;
    struct cca_error err = {0};
    int probe, ranks;
    int result;

    if (args->count != 1 || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE, "export lbaf takes an experiment and -o DIR");
    profile = mesh_open(args->words[0], &options[PROFILE], &result);
    if (!profile)
        return result;
    probe = mesh_probe_find(profile, &options[PROBE], "time");
    experiment = probe < 0 ? NULL : mm_experiment_open(args->words[0], &err);
    if (!experiment) {
        mesh_profile_close(profile);
        return probe < 0 ? MM_EXIT_INPUT : mm_complain(&err);
    }
    ranks = experiment->ranks;
    mm_experiment_free(experiment);
    result = mesh_export_lbaf(profile, probe, ranks, cca_given_value(&options[OUTPUT]),
                              mesh_look_on, &look, &err);
    return finish(profile, &look, result, &err);
}

const struct cca_verb mm_verb_export_lbaf = {
    .name = "export",
    .formats = (const char *const[]){"lbaf", NULL},
    .examples = "mastermind export lbaf field.mm -o lbaf\n",
    .about = "Write a mesh profile as LBDatafiles, NAME.RANK.json: a step is a phase, a "
             "cell of level 0 or element a task.\n",
    CCA_OPTIONS(lbaf_options),
    .run = export_lbaf_verb,
};
