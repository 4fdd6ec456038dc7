/* SPDX-License-Identifier: BSD-3-Clause */
/* regions.c: the table of regions, in the format of openmp_file.h.
 *
 * The table's addresses never change. When there is a file, pieces of the file are mapped
 * over its memory one by one, so addresses of records stay valid. The file is not kept
 * open: the program may close any descriptor. */
#include "tau_port/openmp/openmp.h"

#include "mastermind/format/clock.h"
#include "mastermind/format/openmp_file.h"
#include "mastermind/format/own_file.h"
#include "messages/frames/object.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"

enum { PIECE = 1 << 16, PLACES = 2 * MEAS_OPENMP_REGIONS };

/* A region, identified by its place in the code and its level; an entry of a hash
 * table. */
struct place {
    const void *code;
    int kind, level;
    uint32_t number;
    /* the region's record in the file; NULL: the entry is empty */
    struct meas_openmp_region *record;
    uint32_t threads[MEAS_OPENMP_THREADS]; /* by thread: offset of its record; 0: none */
};

static struct {
    pthread_mutex_t lock; /* protects all members below */
    pid_t process;        /* process that made the table; 0: none yet */
    struct meas_openmp_head *head;
    uint64_t room; /* current size of the space for records, bytes */
    struct place *places;
    uint32_t count;
    int64_t naming_ns; /* CPU time spent on naming new regions; accessed with __atomic */
    char path[PATH_MAX]; /* path of the file of regions; "": no file */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *map_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Take the lock, unless this is a forked child (the table belongs to its parent) or
 * memory is out. */
static int enter_table(void)
{
    if (table.process && table.process != getpid())
        return 0;
    pthread_mutex_lock(&table.lock);
    if (!table.process) {
        table.head = map_memory(MEAS_OPENMP_MOST);
        table.places = map_memory(PLACES * sizeof *table.places);
        if (!table.head || !table.places) {
            pthread_mutex_unlock(&table.lock);
            return 0;
        }
        table.head->region_bytes = sizeof(struct meas_openmp_region);
        table.head->thread_bytes = sizeof(struct meas_openmp_thread);
        table.head->end = MEAS_OPENMP_FIRST;
        table.room = MEAS_OPENMP_MOST;
        table.process = getpid();
    }
    return 1;
}

/* --- The file ------------------------------------------------------------- */

/* Whether the file may have `size` bytes: beyond the process's limit of file sizes the
 * kernel would send SIGXFSZ. */
static int is_allowed(uint64_t size)
{
    struct rlimit most;

    return getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur == RLIM_INFINITY ||
           size <= most.rlim_cur;
}

/* Map the file's piece of PIECE bytes at `at` over the memory. Returns 0 or a negative
 * errno. */
static int map_piece(int fd, uint64_t at)
{
    char *piece = (char *)table.head + at;
    int result = is_allowed(at + PIECE) ? -posix_fallocate(fd, (off_t)at, PIECE) : -EFBIG;
    ssize_t wrote = result ? 0 : pwrite(fd, piece, PIECE, (off_t)at);

    if (!result && wrote != PIECE)
        result = wrote < 0 ? -errno : -ENOSPC;
    if (!result && mmap(piece, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                        (off_t)at) == MAP_FAILED)
        result = -errno;
    return result;
}

/* Reserve the file's next piece. Returns 0 or a negative errno. */
static int grow_file(void)
{
    int fd = open(table.path, O_RDWR | O_CLOEXEC), result;

    if (fd < 0)
        return -errno;
    result = map_piece(fd, table.room);
    if (!result)
        table.room += PIECE;
    close(fd);
    return result;
}

static int make_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), result = 0;
    uint64_t magic, room = 0;

    if (fd < 0)
        return -errno;
    mm_own_file(fd);
    while (!result && room < table.head->end) {
        result = map_piece(fd, room);
        room += PIECE;
    }
    close(fd);
    if (result) {
        unlink(path);
        return result;
    }
    table.room = room;
    memcpy(&magic, MEAS_OPENMP_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)table.head, magic, __ATOMIC_RELEASE);
    return 0;
}

int omp_regions_keep(const char *path)
{
    int result = -ENOMEM;

    if (!enter_table())
        return result;
    if (*table.path)
        result = -EALREADY;
    else if (snprintf(table.path, sizeof table.path, "%s", path) >=
             (int)sizeof table.path)
        result = -ENAMETOOLONG;
    else
        result = make_file(path);
    if (result && result != -EALREADY)
        *table.path = 0;
    pthread_mutex_unlock(&table.lock);
    return result;
}

/* --- Records -------------------------------------------------------------- */

/* Reserve a record, zeroed; publish_record makes it part of the table. NULL: no room. */
static void *new_record(size_t bytes)
{
    uint64_t end = table.head->end + bytes;

    if (end > MEAS_OPENMP_MOST)
        return NULL;
    while (end > table.room)
        if (grow_file())
            return NULL;
    return (char *)table.head + table.head->end;
}

static void publish_record(size_t bytes)
{
    __atomic_store_n(&table.head->end, table.head->end + bytes, __ATOMIC_RELEASE);
}

/* Copy a text; of a text that is too long, copy its end. */
static void copy_end(char *to, size_t size, const char *text)
{
    size_t length = strlen(text), kept = length < size ? length : size - 1;

    memcpy(to, text + length - kept, kept);
    to[kept] = 0;
}

/* Copy the function of ";file;function;line;column;;". Returns 0 if it is unknown. */
static int copy_source(char *to, size_t size, const char *source)
{
    const char *name = source && *source ? strchr(source + 1, ';') : NULL;
    size_t length = name ? strcspn(++name, ";") : 0;

    if (length == 0 || length >= size || strncmp(name, "unknown;", 8) == 0)
        return 0;
    memcpy(to, name, length);
    to[length] = 0;
    return 1;
}

/* Name a region after the function that contains it; clang's names of bodies are
 * meaningless. */
static void name_region(struct meas_openmp_region *record, const struct omp_team *team,
                        const struct mm_frames_object *body)
{
    struct mm_frames_object caller = {.function = ""};

    if (copy_source(record->function, sizeof record->function, team->source))
        return;
    if (team->call)
        mm_frames_object_of((uintptr_t)team->call - 1, &caller);
    snprintf(record->function, sizeof record->function, "%.*s",
             (int)sizeof record->function - 1,
             *caller.function && strcmp(caller.path, body->path) == 0 ? caller.function
                                                                      : body->function);
}

static void describe(struct meas_openmp_region *record, const struct omp_team *team)
{
    struct mm_frames_object object;
    int64_t start = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);

    mm_frames_object_of((uintptr_t)team->code, &object);
    record->type = MEAS_OPENMP_REGION;
    record->bytes = sizeof *record;
    record->kind = (uint32_t)team->kind;
    record->level = (uint32_t)team->level;
    record->offset = object.offset;
    record->build_id_bytes = object.build_id_bytes;
    memcpy(record->build_id, object.build_id, sizeof record->build_id);
    copy_end(record->path, sizeof record->path, object.path);
    name_region(record, team, &object);
    __atomic_fetch_add(&table.naming_ns, cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start,
                       __ATOMIC_RELAXED);
}

int64_t omp_regions_cost(void)
{
    return __atomic_load_n(&table.naming_ns, __ATOMIC_RELAXED);
}

static struct place *find_place(const struct omp_team *team)
{
    uint64_t hash = ((uintptr_t)team->code + (uint64_t)team->level) * 0x9e3779b97f4a7c15u;
    struct place *place = &table.places[(hash >> 32) % PLACES];

    while (place->record && (place->code != team->code || place->level != team->level ||
                             place->kind != team->kind))
        place = place + 1 < table.places + PLACES ? place + 1 : table.places;
    return place;
}

/* The region of a team, added to the table if it is new; NULL: no room. */
static struct place *get_place(const struct omp_team *team)
{
    struct place *place = find_place(team);
    struct meas_openmp_region *record;

    if (place->record)
        return place;
    record = table.count < MEAS_OPENMP_REGIONS ? new_record(sizeof *record) : NULL;
    if (!record)
        return NULL;
    describe(record, team);
    publish_record(sizeof *record);
    place->code = team->code;
    place->kind = team->kind;
    place->level = team->level;
    place->number = table.count++;
    place->record = record;
    return place;
}

/* The record of thread number `thread` in a region, added if it is new; NULL: no room. */
static struct meas_openmp_thread *get_thread(struct place *place, int thread)
{
    struct meas_openmp_thread *record;

    if (thread >= MEAS_OPENMP_THREADS)
        return NULL;
    if (place->threads[thread])
        return (void *)((char *)table.head + place->threads[thread]);
    record = new_record(sizeof *record);
    if (!record)
        return NULL;
    record->type = MEAS_OPENMP_THREAD;
    record->bytes = sizeof *record;
    record->region = place->number;
    record->thread = (uint32_t)thread;
    place->threads[thread] = (uint32_t)table.head->end;
    publish_record(sizeof *record);
    return record;
}

/* --- Counting ------------------------------------------------------------- */

static void add(uint64_t *sum, int64_t amount)
{
    __atomic_store_n(sum, *sum + (uint64_t)(amount > 0 ? amount : 0), __ATOMIC_RELAXED);
}

static void add_slot(struct place *place, int thread, const struct omp_slot *slot)
{
    struct meas_openmp_thread *record = get_thread(place, thread);

    if (!record) {
        add(&table.head->folded, 1);
        return;
    }
    add(&record->calls, 1);
    add(&record->busy_ns, slot->ns[OMP_BUSY]);
    add(&record->barrier_ns, slot->ns[OMP_BARRIER]);
    add(&record->mutex_ns, slot->ns[OMP_MUTEX]);
    add(&record->control_ns, slot->ns[OMP_CONTROL]);
}

void omp_region_begun(const struct omp_team *team)
{
    struct place *place;

    if (!enter_table())
        return;
    place = get_place(team);
    if (place)
        add(&place->record->begun, 1);
    pthread_mutex_unlock(&table.lock);
}

void omp_region_ended(const struct omp_team *team, int64_t wall_ns)
{
    struct place *place;

    if (!enter_table())
        return;
    place = find_place(team);
    if (!place->record)
        add(&table.head->folded, 1);
    for (int i = 0; place->record && i < team->size && i < team->capacity; i++)
        if (team->slots[i].start)
            add_slot(place, i, &team->slots[i]);
    if (place->record) {
        add(&place->record->ended, 1);
        add(&place->record->wall_ns, wall_ns);
    }
    pthread_mutex_unlock(&table.lock);
}
