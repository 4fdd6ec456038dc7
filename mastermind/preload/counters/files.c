/* SPDX-License-Identifier: BSD-3-Clause */
/* files.c: numbers in files as counters of outermost calls. A counter is of the whole
 * machine, so all threads share its sum since the first reading. */
#include "mastermind/preload/counters/files.h"

#include <pthread.h>

#include "common/number_file.h"

static struct {
    struct cca_number_file files[MEAS_TIMES_MOST];
    const char *names[MEAS_TIMES_MOST], *units[MEAS_TIMES_MOST];
    pthread_mutex_t lock; /* taken with signals blocked */
    int64_t last[MEAS_TIMES_MOST], sums[MEAS_TIMES_MOST];
    struct meas_times counters;
} files = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void read_nested(int64_t *values)
{
    for (int i = 0; i < files.counters.count; i++)
        values[i] = MEAS_NESTED;
}

/* Add a counter's count since its last reading. Returns the sum. */
static int64_t read_file(int i)
{
    int64_t now = cca_number_read(files.files[i].path);
    int64_t more = cca_number_difference(&files.files[i], files.last[i], now);

    if (now == CCA_NUMBER_UNKNOWN)
        return INT64_MIN;
    files.last[i] = now;
    files.sums[i] += more == CCA_NUMBER_UNKNOWN ? 0 : more;
    return files.sums[i];
}

static void read_outer(enum meas_outer moment, const int64_t *began, int64_t *values)
{
    (void)began;
    if (moment == MEAS_OUTER_LEFT)
        return;
    pthread_mutex_lock(&files.lock);
    for (int i = 0; i < files.counters.count; i++)
        values[i] = read_file(i);
    pthread_mutex_unlock(&files.lock);
}

const struct meas_times *mm_files_find(const char *list, int most)
{
    const char *name;
    size_t length;
    int count = 0;

    while (count < most && (name = meas_times_next(&list, &length))) {
        if (cca_number_file_parse(name, length, &files.files[count]))
            continue;
        files.names[count] = files.files[count].name;
        files.units[count] = files.files[count].unit;
        files.last[count] = cca_number_read(files.files[count].path);
        count++;
    }
    files.counters = (struct meas_times){.count = count,
                                         .names = files.names,
                                         .units = files.units,
                                         .read = read_nested,
                                         .read_outer = read_outer};
    return count ? &files.counters : NULL;
}
