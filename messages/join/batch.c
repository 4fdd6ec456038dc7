/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.c: carry records of sends to the receiving processes.
 *
 *   filling   places of the pool, one for each process that has records now; if more
 *             processes than places have, the fullest place is sent early
 *   under way MM_BATCH_BUFFERS places that the transport has
 *
 * A place moves between the two without a copy. */
#include "messages/join/batch.h"

#include "messages/join/parts.h"

#include <pthread.h>

enum { FILLING = 64, PLACES = FILLING + MM_BATCH_BUFFERS, NONE = -1 };

/* Memory of one batch: records for one process, first filled, then sent. */
struct place {
    struct mm_messages_half halves[MM_BATCH_HALVES];
};

struct mm_batches {
    struct mm_batch_transport transport;
    int processes, locked;
    uint64_t *counts;
    size_t bytes; /* size of struct mm_batches with its arrays */
    /* [buffers] place whose records the buffer is sending, or NONE */
    int under_way[MM_BATCH_BUFFERS];
    int used[PLACES];        /* number of records in each place */
    int destination[PLACES]; /* process whose records each place gets; NONE: the place is
                              * free, or being sent */
    int free[PLACES], free_count; /* stack of free places */
    int filling;                  /* number of places with a destination */
    pthread_mutex_t mutex;
    struct place *places; /* [PLACES] memory of the batches */
    int8_t place_of[]; /* [processes] 1 + the place that is being filled for the process;
                        * 0: none */
};
_Static_assert(PLACES < INT8_MAX, "a place's number fits place_of");

struct mm_batches *mm_batches_new(const struct mm_batch_transport *transport,
                                  int processes, int locked, uint64_t *counts,
                                  struct cca_error *err)
{
    size_t bytes = sizeof(struct mm_batches) + (size_t)processes;
    struct mm_batches *batches = mm_memory_new(bytes);

    if (batches) {
        batches->bytes = bytes;
        batches->places = mm_memory_new(PLACES * sizeof *batches->places);
    }
    if (!batches || !batches->places) {
        cca_no_memory(err);
        mm_batches_free(batches);
        return NULL;
    }
    batches->transport = *transport;
    batches->processes = processes;
    batches->locked = locked;
    batches->counts = counts;
    for (int i = 0; i < MM_BATCH_BUFFERS; i++)
        batches->under_way[i] = NONE;
    for (int i = PLACES; i-- > 0;) {
        batches->destination[i] = NONE;
        batches->free[batches->free_count++] = i;
    }
    pthread_mutex_init(&batches->mutex, NULL);
    return batches;
}

void mm_batches_free(struct mm_batches *batches)
{
    if (!batches)
        return;
    mm_memory_free(batches->places, PLACES * sizeof *batches->places);
    mm_memory_free(batches, batches->bytes);
}

static void count(struct mm_batches *batches, enum mm_messages_count which, int number)
{
    mm_messages_add(&batches->counts[which], (uint64_t)number, batches->locked);
}

/* A buffer that the transport is not sending from any more; NONE: all are in use. */
static int free_buffer(struct mm_batches *batches)
{
    for (int i = 0; i < MM_BATCH_BUFFERS; i++) {
        int place = batches->under_way[i];

        if (place == NONE)
            return i;
        if (batches->transport.done(batches->transport.context, i)) {
            batches->under_way[i] = NONE;
            batches->free[batches->free_count++] = place;
            return i;
        }
    }
    return NONE;
}

/* Start sending a place; 0: there is no free buffer. */
static int start_place(struct mm_batches *batches, int place)
{
    int buffer = free_buffer(batches), process = batches->destination[place], result;

    if (buffer == NONE)
        return 0;
    batches->place_of[process] = 0;
    batches->destination[place] = NONE;
    batches->filling--;
    result = batches->transport.start(
        batches->transport.context, process, buffer, batches->places[place].halves,
        (size_t)batches->used[place] * sizeof(struct mm_messages_half));
    if (result) {
        count(batches, MM_MESSAGES_DROPPED_POOL, batches->used[place]);
        batches->free[batches->free_count++] = place;
        return 1;
    }
    count(batches, MM_MESSAGES_BATCHES, 1);
    batches->under_way[buffer] = place;
    return 1;
}

static int fullest(const struct mm_batches *batches)
{
    int most = NONE;

    for (int i = 0; i < PLACES; i++)
        if (batches->destination[i] != NONE &&
            (most == NONE || batches->used[i] > batches->used[most]))
            most = i;
    return most;
}

/* Get a place for a process that has none; or NONE. */
static int new_place(struct mm_batches *batches, int process)
{
    int place;

    if (batches->filling == FILLING && !start_place(batches, fullest(batches)))
        return NONE;
    place = batches->free[--batches->free_count];
    batches->destination[place] = process;
    batches->used[place] = 0;
    batches->place_of[process] = (int8_t)(place + 1);
    batches->filling++;
    return place;
}

static void add(struct mm_batches *batches, const struct mm_messages_half *half)
{
    int place;

    if (half->dst < 0 || half->dst >= batches->processes) {
        count(batches, MM_MESSAGES_DROPPED_FOREIGN, 1);
        return;
    }
    place = batches->place_of[half->dst] - 1;
    /* the process's place is full and still waits for a buffer */
    if (place >= 0 && batches->used[place] == MM_BATCH_HALVES)
        place = start_place(batches, place) ? NONE : place;
    if (place < 0)
        place = new_place(batches, half->dst);
    if (place < 0 || batches->used[place] == MM_BATCH_HALVES) {
        count(batches, MM_MESSAGES_DROPPED_POOL, 1);
        return;
    }
    batches->places[place].halves[batches->used[place]++] = *half;
    if (batches->used[place] == MM_BATCH_HALVES)
        start_place(batches, place);
}

void mm_batches_add(struct mm_batches *batches, const struct mm_messages_half *half)
{
    if (batches->locked)
        pthread_mutex_lock(&batches->mutex);
    add(batches, half);
    if (batches->locked)
        pthread_mutex_unlock(&batches->mutex);
}

int mm_batches_flush(struct mm_batches *batches)
{
    int waiting = 0;

    if (batches->locked)
        pthread_mutex_lock(&batches->mutex);
    for (int i = 0; i < PLACES && batches->filling; i++)
        if (batches->destination[i] != NONE && !start_place(batches, i))
            break;
    for (int i = 0; i < MM_BATCH_BUFFERS; i++) {
        int place = batches->under_way[i];

        if (place != NONE && batches->transport.done(batches->transport.context, i)) {
            batches->under_way[i] = NONE;
            batches->free[batches->free_count++] = place;
        }
        waiting += batches->under_way[i] != NONE;
    }
    waiting += batches->filling;
    if (batches->locked)
        pthread_mutex_unlock(&batches->mutex);
    return waiting;
}
