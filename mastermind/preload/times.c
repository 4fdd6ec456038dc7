/* SPDX-License-Identifier: BSD-3-Clause */
/* times.c: the times that wrappers around MPI and OpenMP keep for each thread. */
#include "mastermind/preload/times.h"

#include "common/thread_times.h"
#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/json_file.h"

#include <dlfcn.h>
#include <errno.h>

enum { WORDS_MOST = 4 };

static struct {
    const struct meas_times *libraries[WORDS_MOST];
    const struct meas_times_word *absent[WORDS_MOST];
    int library_count, absent_count, count;
} times;

static int is_known(const struct meas_times_word *word, const struct meas_times *library)
{
    for (int i = 0; i < times.library_count; i++)
        if (times.libraries[i] == library)
            return 1;
    for (int i = 0; i < times.absent_count; i++)
        if (times.absent[i] == word)
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
        times.absent[times.absent_count++] = word;
    }
}

void mm_times_find(const char *list)
{
    const struct meas_times_word *word;
    const char *name;
    size_t length;

    while ((name = meas_times_next(&list, &length)))
        if ((word = meas_times_find(name, length)) && times.library_count < WORDS_MOST &&
            times.absent_count < WORDS_MOST)
            add_word(word);
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

int mm_times_about(json_t *about)
{
    json_t *counters = json_object_get(about, "counters");
    json_t *asked = json_object_get(counters, "asked"),
           *names = json_object_get(counters, "names"),
           *missing = json_object_get(counters, "missing");

    if (times.library_count || times.absent_count)
        remove_none(missing);
    for (int i = 0; i < times.library_count; i++)
        for (int k = 0; k < times.libraries[i]->count; k++)
            if (json_array_append_new(asked,
                                      mm_json_text(times.libraries[i]->names[k])) ||
                json_array_append_new(names, mm_json_text(times.libraries[i]->names[k])))
                return -ENOMEM;
    for (int i = 0; i < times.absent_count; i++) {
        const char *word = times.absent[i]->word, *why = times.absent[i]->why;

        if (json_array_append_new(asked, mm_json_text(word)) ||
            json_array_append_new(missing,
                                  json_pack("{s:o, s:o}", "name", mm_json_text(word),
                                            "why", mm_json_text(why))))
            return -ENOMEM;
    }
    return 0;
}
