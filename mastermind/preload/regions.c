/* SPDX-License-Identifier: BSD-3-Clause */
/* regions.c: the functions that mm_region.h and mm_region.f90 look up by name. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/preload/own.h"
#include "mastermind/preload/mm_region.h"
#include "mastermind/preload/trials.h"

enum { LONGEST_NAME = 200 };

/* A region with its name. Regions are never removed, so that a search needs no lock. */
struct region {
    struct mm_own *own;
    int modes[MONITOR_MAX_IN];
    struct region *next;
};

static struct region *regions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct region *find(const char *name)
{
    struct region *region = __atomic_load_n(&regions, __ATOMIC_ACQUIRE);

    while (region && strcmp(region->own->name, name) != 0)
        region = region->next;
    return region;
}

/* Make a region from its first execution, which defines its parameters. Later executions
 * are found by their name. */
static struct region *make(const char *name, int count,
                           const struct mm_region_value *values, void *address)
{
    struct region *region = calloc(1, sizeof *region);

    if (!region)
        return NULL;
    region->own = mm_own_new(name, "region", MM_ENTRY_REGION, address);
    if (!region->own) {
        free(region);
        return NULL;
    }
    if (mm_own_values(region->own, MONITOR_MAX_IN))
        count = 0;
    for (int i = 0; i < count && i < MONITOR_MAX_IN; i++) {
        struct monitor_value_decl *decl = &region->own->values[i];

        decl->name = strndup(values[i].name ? values[i].name : "?", LONGEST_NAME);
        if (!decl->name)
            break;
        decl->type = values[i].real && !values[i].mode ? MONITOR_DOUBLE : MONITOR_INT64;
        decl->kind = values[i].mode ? MONITOR_MODE : MONITOR_PARAM;
        region->own->function.in_count++;
    }
    region->next = regions;
    __atomic_store_n(&regions, region, __ATOMIC_RELEASE);
    return region;
}

static struct region *region_of(const char *name, int count,
                                const struct mm_region_value *values, void *address)
{
    struct region *region = find(name);

    if (region)
        return region;
    mm_interpose_busy++;
    pthread_mutex_lock(&lock);
    region = find(name);
    if (!region)
        region = make(name, count, values, address);
    pthread_mutex_unlock(&lock);
    mm_interpose_busy--;
    return region;
}

static void fill(const struct mm_own *own, union monitor_value *in, int count,
                 const struct mm_region_value *values)
{
    for (size_t i = 0; i < own->function.in_count; i++) {
        const struct monitor_value_decl *decl = &own->values[i];
        int at =
            i < (size_t)count && strcmp(values[i].name, decl->name) == 0 ? (int)i : 0;

        while (at < count && strcmp(values[at].name, decl->name) != 0)
            at++;
        if (decl->type == MONITOR_DOUBLE)
            in[i].d = at == count       ? MONITOR_ABSENT_DOUBLE
                      : values[at].real ? values[at].number
                                        : (double)values[at].integer;
        else
            in[i].i = at == count       ? MONITOR_ABSENT
                      : values[at].real ? (int64_t)values[at].number
                                        : values[at].integer;
    }
}

INTERPOSE_EXPORT mm_region_begin_function mm_preload_region_begin;
INTERPOSE_EXPORT mm_region_end_function mm_preload_region_end;

int mm_preload_region_begin(const char *name, int count,
                            const struct mm_region_value *values)
{
    union monitor_value in[MONITOR_MAX_IN];
    struct region *region;

    if (!mm_preload_is_recorded() || mm_interpose_busy || !name)
        return 0;
    region = region_of(name, count, values, __builtin_return_address(0));
    if (!region)
        return 0;
    fill(region->own, in, count, values);
    mm_own_begin(region->own, NULL, 0, in);
    return 1;
}

void mm_preload_region_end(void)
{
    mm_own_end(NULL);
}

struct mm_own *mm_region_trial_own(void)
{
    static const struct mm_region_value values[2] = {{.name = "a"}, {.name = "b"}};
    struct region *region =
        region_of("mastermind trial", 2, values, __builtin_return_address(0));

    return region ? region->own : NULL;
}
