/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c: find the properties of the machine that affect a model. */
#include "mastermind/writer/machine.h"

#include "mastermind/writer/json_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_CACHES = 32 };

/* Read the first line of the file folder/name without its newline; "" if there is
 * none. */
static void read_line(const char *folder, const char *name, char *line, size_t size)
{
    char path[512];
    FILE *file = NULL;

    line[0] = '\0';
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
        file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(line, (int)size, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

/* Parse a size in bytes: "32K" is 32768. Returns -1 for other texts. */
static long long parse_size(const char *text)
{
    char *end;
    long long size;

    errno = 0;
    size = strtoll(text, &end, 10);
    if (errno || end == text || size <= 0 || size > (1LL << 40))
        return -1;
    switch (*end) {
    case 'K':
        return size << 10;
    case 'M':
        return size << 20;
    case 'G':
        return size << 30;
    case '\0':
        return size;
    default:
        return -1;
    }
}

json_t *mm_machine_caches(const char *folder)
{
    json_t *caches = json_array();
    char path[400], level[32], type[32], size[32];

    for (int i = 0; caches && i < MOST_CACHES; i++) {
        if (snprintf(path, sizeof path, "%s/index%d", folder, i) >= (int)sizeof path)
            break;
        read_line(path, "level", level, sizeof level);
        read_line(path, "type", type, sizeof type);
        read_line(path, "size", size, sizeof size);
        if (!*level)
            break;
        for (char *c = type; *c; c++)
            *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        if (parse_size(size) > 0)
            caches =
                mm_json_append(caches, json_pack("{s:i, s:o, s:I}", "level", atoi(level),
                                                 "type", mm_json_text(type), "bytes",
                                                 (json_int_t)parse_size(size)));
    }
    return caches;
}

/* Read the processor's name as the kernel reports it; "": none. */
static void read_cpu(char *cpu, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];

    cpu[0] = '\0';
    while (file && !*cpu && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');

        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "model name", 10) == 0 && colon)
            snprintf(cpu, size, "%s", colon + 1 + strspn(colon + 1, " "));
    }
    if (file)
        fclose(file);
}

json_t *mm_machine_json(void)
{
    json_t *machine = json_object();
    struct utsname system;
    char host[256] = "", cpu[256];
    /* number of ranks on this machine, set by Open MPI and MPICH */
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    int failed = 0;

    local = local ? local : getenv("MPI_LOCALNRANKS");
    if (gethostname(host, sizeof host - 1) == 0)
        failed |= json_object_set_new(machine, "host", mm_json_text(host));
    read_cpu(cpu, sizeof cpu);
    if (uname(&system) == 0) {
        failed |= json_object_set_new(machine, "cpu",
                                      mm_json_text(*cpu ? cpu : system.machine));
        failed |= json_object_set_new(machine, "kernel", mm_json_text(system.release));
    }
    if (local && strtol(local, NULL, 10) > 0)
        failed |= json_object_set_new(machine, "local_ranks",
                                      json_integer(strtol(local, NULL, 10)));
    failed |= json_object_set_new(machine, "cores",
                                  json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    failed |=
        json_object_set_new(machine, "page_bytes", json_integer(sysconf(_SC_PAGESIZE)));
    failed |= json_object_set_new(
        machine, "caches", mm_machine_caches("/sys/devices/system/cpu/cpu0/cache"));
    if (failed) {
        json_decref(machine);
        return NULL;
    }
    return machine;
}

int mm_machine_has_counters(void)
{
    DIR *dir = opendir("/sys/bus/event_source/devices");
    const struct dirent *entry;
    int found = 0;

    /* the kernel's names of hardware counter units: "cpu", "cpu_core" on x86;
     * "armv8_pmuv3" and similar on Arm */
    while (dir && !found && (entry = readdir(dir)))
        found = strcmp(entry->d_name, "cpu") == 0 ||
                strncmp(entry->d_name, "cpu_", 4) == 0 ||
                strncmp(entry->d_name, "armv", 4) == 0;
    if (dir)
        closedir(dir);
    return found;
}
