/* SPDX-License-Identifier: BSD-3-Clause */
/* times.c: the times and counts that wrappers around MPI, OpenMP and malloc keep for each
 * thread. */
#include "mastermind/preload/counters/times.h"

#include "common/thread_times.h"
#include "mastermind/preload/counters/files.h"
#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/json_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum { WORDS_MOST = 5 };

static struct {
    const struct meas_times *libraries[WORDS_MOST];
    struct {
        const char *word, *why;
    } absent[WORDS_MOST];
    int library_count, absent_count, count;
} times;

static int is_known(const struct meas_times_word *word, const struct meas_times *library)
{
    for (int i = 0; i < times.library_count; i++)
        if (times.libraries[i] == library)
            return 1;
    for (int i = 0; i < times.absent_count; i++)
        if (times.absent[i].word == word->word)
            return 1;
    return 0;
}

static void add_word(const struct meas_times_word *word)
{
    const struct meas_times *library = dlsym(RTLD_DEFAULT, word->symbol);

    if (is_known(word, library))
        return;
    if (library && times.count + library->count <= MM_RECORDER_COUNTERS) {
        times.libraries[times.library_count++] = library;
        times.count += library->count;
    } else {
        times.absent[times.absent_count].word = word->word;
        times.absent[times.absent_count++].why =
            library ? "a row has room for eight counters" : word->why;
    }
}

void mm_times_find(const char *list)
{
    const struct meas_times *files;
    const struct meas_times_word *word;
    const char *name, *rest = list;
    size_t length;

    while ((name = meas_times_next(&rest, &length)))
        if ((word = meas_times_find(name, length)) && times.library_count < WORDS_MOST &&
            times.absent_count < WORDS_MOST)
            add_word(word);
    files = mm_files_find(list, MM_RECORDER_COUNTERS - times.count);
    if (files && times.library_count < WORDS_MOST) {
        times.libraries[times.library_count++] = files;
        times.count += files->count;
    }
}

int mm_times_count(void)
{
    return times.count;
}

void mm_times_read(void *context, int64_t *values)
{
    (void)context;
    for (int i = 0; i < times.library_count; i++) {
        times.libraries[i]->read(values);
        values += times.libraries[i]->count;
    }
}

int mm_times_are_outer(void)
{
    for (int i = 0; i < times.library_count; i++)
        if (times.libraries[i]->read_outer)
            return 1;
    return 0;
}

void mm_times_read_outer(void *context, enum meas_outer moment, const int64_t *began,
                         int64_t *values)
{
    (void)context;
    for (int i = 0; i < times.library_count; i++) {
        const struct meas_times *library = times.libraries[i];

        if (library->read_outer)
            library->read_outer(moment, began, values);
        values += library->count;
        began = began ? began + library->count : NULL;
    }
}

/* Remove the reason "no counter was requested" from the list of missing counters. */
static void remove_none(json_t *missing)
{
    json_t *item;
    size_t i;

    json_array_foreach(missing, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));

        if (name && strcmp(name, "hardware counters") == 0) {
            json_array_remove(missing, i);
            return;
        }
    }
}

/* Add a counter's name, and its unit unless it is ns. Returns 0 or -ENOMEM. */
static int put_counter(json_t *counters, const struct meas_times *library, int i)
{
    const char *name = library->names[i];
    const char *unit = library->units ? library->units[i] : "ns";
    json_t *units = json_object_get(counters, "units");

    if (json_array_append_new(json_object_get(counters, "asked"), mm_json_text(name)) ||
        json_array_append_new(json_object_get(counters, "names"), mm_json_text(name)))
        return -ENOMEM;
    if (strcmp(unit, "ns") == 0)
        return 0;
    if (!units) {
        units = json_object();
        if (json_object_set_new(counters, "units", units))
            return -ENOMEM;
    }
    return json_object_set_new(units, name, mm_json_text(unit)) ? -ENOMEM : 0;
}

int mm_times_about(json_t *about)
{
    json_t *counters = json_object_get(about, "counters");
    json_t *asked = json_object_get(counters, "asked"),
           *missing = json_object_get(counters, "missing");

    if (times.library_count || times.absent_count)
        remove_none(missing);
    for (int i = 0; i < times.library_count; i++)
        for (int k = 0; k < times.libraries[i]->count; k++)
            if (put_counter(counters, times.libraries[i], k))
                return -ENOMEM;
    for (int i = 0; i < times.absent_count; i++) {
        const char *word = times.absent[i].word, *why = times.absent[i].why;

        if (json_array_append_new(asked, mm_json_text(word)) ||
            json_array_append_new(missing,
                                  json_pack("{s:o, s:o}", "name", mm_json_text(word),
                                            "why", mm_json_text(why))))
            return -ENOMEM;
    }
    return 0;
}
