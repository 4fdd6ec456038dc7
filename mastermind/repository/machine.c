/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c: read, compare and print the processor, caches and clock of a machine. */
#include "mastermind/repository/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/writer/json_file.h"
#include "mastermind/writer/machine.h"

/* largest relative difference between two measured frequencies of the same clock;
 * calibrations differ by far less */
#define SAME_CLOCK .01

static void read_cache(struct mm_machine *machine, const json_t *item)
{
    struct mm_cache *cache = &machine->caches[machine->cache_count];
    const char *type = json_string_value(json_object_get(item, "type"));

    if (machine->cache_count == MM_MACHINE_CACHES || !type)
        return;
    cache->level = (int)json_integer_value(json_object_get(item, "level"));
    cache->bytes = json_integer_value(json_object_get(item, "bytes"));
    snprintf(cache->type, sizeof cache->type, "%s", type);
    machine->cache_count++;
}

static void read_hardware(struct mm_machine *machine, const json_t *hardware)
{
    const char *cpu = json_string_value(json_object_get(hardware, "cpu"));
    const json_t *caches = json_object_get(hardware, "caches");

    *machine = (struct mm_machine){0};
    snprintf(machine->cpu, sizeof machine->cpu, "%s", cpu ? cpu : "");
    for (size_t i = 0; i < json_array_size(caches); i++)
        read_cache(machine, json_array_get(caches, i));
}

void mm_machine_of_experiment(struct mm_machine *machine, const json_t *about)
{
    const json_t *clock = json_object_get(about, "clock");
    const char *name = json_string_value(json_object_get(clock, "name"));
    double ns = json_number_value(json_object_get(clock, "ns_per_tick"));

    read_hardware(machine, json_object_get(about, "machine"));
    if (name && strcmp(name, "tsc") == 0 && ns > 0)
        machine->clock_ghz = 1 / ns;
}

void mm_machine_of_process(struct mm_machine *machine)
{
    json_t *hardware = mm_machine_json();

    read_hardware(machine, hardware);
    json_decref(hardware);
}

static int same_caches(const struct mm_machine *a, const struct mm_machine *b)
{
    if (!a->cache_count || !b->cache_count)
        return 1;
    if (a->cache_count != b->cache_count)
        return 0;
    for (size_t i = 0; i < a->cache_count; i++)
        if (a->caches[i].level != b->caches[i].level ||
            a->caches[i].bytes != b->caches[i].bytes ||
            strcmp(a->caches[i].type, b->caches[i].type) != 0)
            return 0;
    return 1;
}

int mm_machine_same(const struct mm_machine *a, const struct mm_machine *b)
{
    int clocks = a->clock_ghz > 0 && b->clock_ghz > 0;

    if (*a->cpu && *b->cpu && strcmp(a->cpu, b->cpu) != 0)
        return 0;
    if (clocks && fabs(a->clock_ghz / b->clock_ghz - 1) > SAME_CLOCK)
        return 0;
    return same_caches(a, b);
}

/* Print a number of bytes, for example 32768 as "32K". Returns the length of the text. */
static int print_bytes(int64_t bytes, char *text, size_t size)
{
    if (bytes >= 1 << 20)
        return snprintf(text, size, " %.3gM", (double)bytes / (1 << 20));
    return snprintf(text, size, " %.3gK", (double)bytes / 1024);
}

const char *mm_machine_print(const struct mm_machine *machine, char *text, size_t size)
{
    size_t used =
        (size_t)snprintf(text, size, "%s", *machine->cpu ? machine->cpu : "any machine");
    const char *join = ", caches";

    for (size_t i = 0; i < machine->cache_count && used + 60 < size; i++) {
        if (strcmp(machine->caches[i].type, "instruction") == 0)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s", join);
        used += (size_t)print_bytes(machine->caches[i].bytes, text + used, size - used);
        join = "";
    }
    if (machine->clock_ghz > 0 && used < size)
        snprintf(text + used, size - used, ", %.2f GHz", machine->clock_ghz);
    return text;
}

json_t *mm_machine_json_of(const struct mm_machine *machine)
{
    json_t *object = json_object(), *caches = json_array();
    int failed = 0;

    if (*machine->cpu)
        failed |= json_object_set_new(object, "cpu", mm_json_text(machine->cpu));
    for (size_t i = 0; i < machine->cache_count; i++)
        caches = mm_json_append(
            caches, json_pack("{s:i, s:o, s:I}", "level", machine->caches[i].level,
                              "type", mm_json_text(machine->caches[i].type), "bytes",
                              (json_int_t)machine->caches[i].bytes));
    failed |= json_object_set_new(object, "caches", caches);
    if (machine->clock_ghz > 0)
        failed |= json_object_set_new(object, "clock_ghz", json_real(machine->clock_ghz));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

int mm_machine_read(struct mm_machine *machine, const json_t *object,
                    struct cca_error *err)
{
    const char *key;
    json_t *value;

    read_hardware(machine, object);
    if (!object)
        return 0;
    if (!json_is_object(object))
        return cca_error_set(err, -EBADMSG, "found no object 'machine'");
    json_object_foreach((json_t *)object, key, value)
    {
        if (strcmp(key, "cpu") == 0 ? !json_is_string(value)
            : strcmp(key, "caches") == 0
                ? json_array_size(value) != machine->cache_count || !json_is_array(value)
            : strcmp(key, "clock_ghz") == 0
                ? !json_is_number(value) || json_number_value(value) <= 0
                : 1)
            return cca_error_set(err, -EBADMSG,
                                 "found a member '%.40s' of 'machine', expected cpu (a "
                                 "string), caches (an array), clock_ghz (above 0)",
                                 key);
    }
    machine->clock_ghz = json_number_value(json_object_get(object, "clock_ghz"));
    return 0;
}
