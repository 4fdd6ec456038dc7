/* SPDX-License-Identifier: BSD-3-Clause */
/* export_mesh.c: mesh profiles in formats of other tools. */
#include <errno.h>
#include <string.h>

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/convert/lbaf/export.h"
#include "mesh/convert/vtk/export.h"

static const char vtk_usage[] =
    "mastermind export vtk field.mm -o field.vtk\n"
    "\n"
    "Write a mesh profile for VTK and ParaView, which open NAME.pvd: a .vti for each "
    "step\n"
    "of a grid, a .vthb with boxes where there are levels, a .vtu of elements.\n"
    "\n"
    "  --profile NAME  where the experiment has several\n"
    "  --step A:B      only these steps\n"
    "  -o DIR          the directory to make; it must not exist, or be empty\n";

static const char lbaf_usage[] =
    "mastermind export lbaf field.mm -o lbaf\n"
    "\n"
    "Write a mesh profile as LBDatafiles, NAME.RANK.json: a step is a phase, a cell of\n"
    "level 0 or element a task.\n"
    "\n"
    "  --profile NAME  where the experiment has several\n"
    "  --probe P       the time of the tasks; by default time, or the first probe\n"
    "  -o DIR          the directory to make; it must not exist, or be empty\n";

enum { OUTPUT, PROFILE, STEP, OPTIONS };

static int finish(struct mesh_profile *profile, struct mesh_look *look, int result,
                  const struct cca_error *err)
{
    mesh_look_end(look);
    mesh_profile_close(profile);
    if (result == -ENOTSUP)
        return mm_refuse(MM_EXIT_INPUT, "%s", mm_safe(err->text));
    return result ? mm_complain(err) : mm_finish_output(MM_EXIT_DONE);
}

int cmd_export_vtk(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {
        [OUTPUT] = {.name = "-o", .takes_value = 1},
        [PROFILE] = {.name = "--profile", .takes_value = 1},
        [STEP] = {.name = "--step", .takes_value = 1}};
    struct mesh_look look = {.what = "export"};
    struct mesh_vtk_steps steps;
    struct mesh_profile *profile;
    struct cca_error err = {0};
    int count, result = mm_options_read(options, OPTIONS, vtk_usage, argc, argv, &count);

    if (result >= 0)
        return result;
    if (count != 1 || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE, "export vtk takes an experiment and -o DIR");
    profile = mesh_open(argv[0], &options[PROFILE], &result);
    if (!profile)
        return result;
    result = mesh_steps_read(profile, &options[STEP], &steps.first, &steps.end);
    if (result >= 0) {
        mesh_profile_close(profile);
        return result;
    }
    result = mesh_export_vtk(profile, steps, mesh_value_of(&options[OUTPUT]),
                             mesh_look_on, &look, &err);
    return finish(profile, &look, result, &err);
}

int cmd_export_lbaf(int argc, char **argv)
{
    struct mm_option options[] = {{.name = "-o", .takes_value = 1},
                                  {.name = "--profile", .takes_value = 1},
                                  {.name = "--probe", .takes_value = 1}};
    struct mesh_look look = {.what = "export"};
    struct mm_experiment *experiment;
    struct mesh_profile *profile;
    struct cca_error err = {0};
    int count, probe, ranks;
    int result = mm_options_read(options, 3, lbaf_usage, argc, argv, &count);

    if (result >= 0)
        return result;
    if (count != 1 || !options[0].given)
        return mm_refuse(MM_EXIT_MISUSE, "export lbaf takes an experiment and -o DIR");
    profile = mesh_open(argv[0], &options[1], &result);
    if (!profile)
        return result;
    probe = mesh_probe_find(profile, &options[2], "time");
    experiment = probe < 0 ? NULL : mm_experiment_open(argv[0], &err);
    if (!experiment) {
        mesh_profile_close(profile);
        return probe < 0 ? MM_EXIT_INPUT : mm_complain(&err);
    }
    ranks = experiment->ranks;
    mm_experiment_free(experiment);
    result = mesh_export_lbaf(profile, probe, ranks, mesh_value_of(&options[0]),
                              mesh_look_on, &look, &err);
    return finish(profile, &look, result, &err);
}
