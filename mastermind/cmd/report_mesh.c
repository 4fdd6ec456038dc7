/* SPDX-License-Identifier: BSD-3-Clause */
/* report_mesh.c: mesh profiles of an experiment in a report: a line each, with what was
 * lost. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/report.h"
#include "mesh/trace/profile.h"

/* Steps that ranks lost, added up. */
static uint64_t steps_lost(const struct mesh_profile *profile)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < mesh_profile_losses(profile); i++) {
        int rank;

        lost += mesh_profile_loss(profile, i, &rank)->count;
    }
    return lost;
}

static void print_profile(const struct report *report, const char *name)
{
    struct cca_error err = {0};
    struct mesh_profile *profile =
        mesh_profile_open(report->experiment->path, name, &err);
    uint64_t lost;

    if (!profile) {
        printf("mesh profile %s: %s\n", mm_safe(name), mm_safe(err.text));
        return;
    }
    lost = steps_lost(profile);
    printf("mesh profile %s: %s whole", mm_safe(name),
           mm_counted(mesh_profile_steps(profile), "step"));
    printf(", %s lost", lost ? mm_counted(lost, "step") : "nothing");
    for (size_t i = 0; i < mesh_profile_notes(profile); i++)
        printf("; %s", mm_safe(mesh_profile_note(profile, i)));
    putchar('\n');
    mesh_profile_close(profile);
}

/* The first thing an agent complained about. */
static void print_complaint(const struct report *report)
{
    char path[PATH_MAX], line[400];
    FILE *log;

    snprintf(path, sizeof path, "%s/" MM_MESH_FOLDER "/agent.log",
             report->experiment->path);
    log = fopen(path, "re");
    if (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = '\0';
        printf("%s\n", mm_safe(line));
    }
    if (log)
        fclose(log);
}

void mm_report_print_mesh(const struct report *report)
{
    struct cca_error err = {0};
    char **names = NULL;
    int count = mesh_profile_names(report->experiment->path, &names, &err);

    if (count < 0)
        printf("mesh profiles: %s\n", mm_safe(err.text));
    for (int i = 0; i < count; i++)
        print_profile(report, names[i]);
    print_complaint(report);
    free(names);
}
