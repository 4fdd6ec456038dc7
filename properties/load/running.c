/* SPDX-License-Identifier: BSD-3-Clause */
/* running.c: find out whether the processes of an experiment are alive. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/format/layout.h"
#include "properties/load/parts.h"

/* Whether the process named in a ring file's name runs on this machine and has the ring
 * mapped. */
static int is_mapped(const char *path, const char *end)
{
    struct mm_file_head head;
    char maps[64], line[PATH_MAX + 128];
    int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    FILE *f;

    if (fd < 0)
        return 0;
    if (read(fd, &head, sizeof head) != (ssize_t)sizeof head)
        head.process = 0;
    close(fd);
    snprintf(maps, sizeof maps, "/proc/%llu/maps", (unsigned long long)head.process);
    f = head.process ? fopen(maps, "re") : NULL;
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, end) != NULL;
    if (f)
        fclose(f);
    return found;
}

static int rank_runs(const struct mm_load *load, int rank)
{
    char folder[PATH_MAX], path[PATH_MAX + 300], end[600];
    struct dirent *entry;
    DIR *d;
    int runs = 0;

    if (snprintf(folder, sizeof folder, "%s/rank-%04d", load->e->path, rank) >=
        (int)sizeof folder)
        return 0;
    d = opendir(folder);
    while (d && !runs && (entry = readdir(d))) {
        const char *dot = strrchr(entry->d_name, '.');

        if (!dot || strcmp(dot, ".ring") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(end, sizeof end, "%.255s/rank-%04d/%.255s", load->e->name, rank,
                 entry->d_name);
        runs = is_mapped(path, end);
    }
    if (d)
        closedir(d);
    return runs;
}

int mm_load_is_running(const struct mm_load *load)
{
    int runs = 0;

    for (int rank = 0; rank < load->e->ranks && !runs; rank++)
        runs = rank_runs(load, rank);
    return runs;
}
