/* SPDX-License-Identifier: BSD-3-Clause */
/* report_mesh.c: print mesh profiles in a report, a line each, with losses. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/report/report.h"
#include "mesh/trace/profile.h"

/* Sum of the steps that ranks lost. */
static uint64_t steps_lost(const struct mesh_profile *profile)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < mesh_profile_losses(profile); i++) {
        int rank;

        lost += mesh_profile_loss(profile, i, &rank)->count;
    }
    return lost;
}

/* Print one profile; a damaged one gets a line, too. Returns 0, or an exit code after a
 * message: it cannot be read. */
static int print_profile(const struct report *report, const char *name)
{
    struct cca_error err = {0};
    struct mesh_profile *profile =
        mesh_profile_open(report->experiment->path, name, &err);
    uint64_t lost;

    if (!profile && err.code != -EBADMSG)
        return mm_complain(&err);
    if (!profile) {
        printf("mesh profile %s: %s\n", mm_safe(name), mm_safe(err.text));
        return 0;
    }
    lost = steps_lost(profile);
    printf("mesh profile %s: %s whole", mm_safe(name),
           mm_counted(mesh_profile_steps(profile), "step"));
    printf(", %s lost", lost ? mm_counted(lost, "step") : "nothing");
    for (size_t i = 0; i < mesh_profile_notes(profile); i++)
        printf("; %s", mm_safe(mesh_profile_note(profile, i)));
    putchar('\n');
    mesh_profile_close(profile);
    return 0;
}

/* Print the first complaint of an agent. Returns 0, or an exit code after a message. */
static int print_complaint(const struct report *report)
{
    char path[PATH_MAX], line[400];
    FILE *log;
    int bad;

    snprintf(path, sizeof path, "%s/" MM_MESH_FOLDER "/agent.log",
             report->experiment->path);
    errno = 0;
    log = fopen(path, "re");
    if (!log && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = '\0';
        printf("%s\n", mm_safe(line));
    }
    bad = !log || ferror(log);
    if (log)
        fclose(log);
    return bad ? mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path),
                           strerror(errno ? errno : EIO))
               : 0;
}

int mm_report_print_mesh(const struct report *report)
{
    struct cca_error err = {0};
    char **names = NULL;
    int count = mesh_profile_names(report->experiment->path, &names, &err);
    int result = count < 0 ? mm_complain(&err) : 0;

    for (int i = 0; i < count && !result; i++)
        result = print_profile(report, names[i]);
    free(names);
    return result ? result : print_complaint(report);
}
