/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.c: opening and closing a mesh, checks of arguments, forks. */
#include "mesh/probe/mesh.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* All meshes of the process; a forked child does not touch them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mm_mesh *meshes;
static int32_t meshes_opened;
static int forked, watching;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    forked = meshes_opened > 0;
    for (struct mm_mesh *m = meshes; m; m = m->next) {
        m->off = 1;
        mesh_tell_nothing(m);
        if (m->shared)
            munmap(m->shared, m->layout.bytes);
        m->shared = NULL;
        m->slot = NULL;
    }
    mesh_leaving_forget();
    pthread_mutex_unlock(&lock);
}

/* Called at exit: end the meshes that the program has not closed. */
__attribute__((destructor)) static void at_exit(void)
{
    for (struct mm_mesh *m = meshes; m; m = m->next) {
        m->off = 1;
        mesh_tell_nothing(m);
        mesh_segment_leave(m, MESH_SHARED_CLOSED);
    }
    mesh_leaving_wait();
}

int mesh_fault(struct mm_mesh *m, enum fault fault, int code, const char *format, ...)
{
    char text[400];
    va_list args;

    m->faults++;
    if (m->told_faults >> fault & 1)
        return code;
    m->told_faults |= 1u << fault;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cca_error_set(&m->error, code, "mm_mesh: %s: %s", m->about.name, text);
    if (m->ranks > 1)
        fprintf(stderr, "rank %d: mm_mesh: %s: %s\n", m->rank, m->about.name, text);
    else
        fprintf(stderr, "mm_mesh: %s: %s\n", m->about.name, text);
    return code;
}

const char *mm_mesh_error(const struct mm_mesh *m)
{
    return m && m->error.code ? m->error.text : NULL;
}

/* Read the process's rank from the variables that the launcher has set. */
static void find_rank(struct mm_mesh *m)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"PMIX_RANK", ""}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i][0]), *ranks = getenv(names[i][1]);

        if (rank && atoi(rank) >= 0) {
            m->rank = atoi(rank);
            m->ranks = ranks && atoi(ranks) > m->rank ? atoi(ranks) : 0;
            return;
        }
    }
    m->ranks = 1;
}

static int read_environment(struct mm_mesh *m, const char *cells, struct cca_error *err)
{
    const char *session = getenv(MESH_SESSION_VARIABLE);
    const char *slots = getenv(MESH_SLOTS_VARIABLE);

    if (!session || !*session)
        session = MESH_SESSION_USUAL;
    if (strlen(session) >= sizeof m->session ||
        session[strspn(session, "0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ")])
        return cca_error_set(err, -EINVAL,
                             MESH_SESSION_VARIABLE ": found '%.80s', expected at most "
                                                   "%d letters and digits",
                             session, MESH_SESSION_BYTES - 1);
    strcpy(m->session, session);
    m->slots = slots && *slots ? (uint32_t)atoi(slots) : 0;
    if (slots && *slots && (m->slots < 2 || m->slots > MESH_SHARED_SLOTS))
        return cca_error_set(err, -EINVAL,
                             MESH_SLOTS_VARIABLE ": found '%.80s', expected 2 to %d",
                             slots, MESH_SHARED_SLOTS);
    find_rank(m);
    return mesh_request_read(cells, &m->request, err);
}

int mesh_levels_set(struct mm_mesh *m, int levels, int ratio, struct cca_error *err)
{
    struct mm_mesh_level level[MM_MESH_LEVELS] = {{0}};

    for (int l = 0; l < levels; l++) {
        double cells = 1;

        for (int d = 0; d < 3; d++) {
            level[l].n[d] = l == 0              ? m->about.n[d]
                            : d < m->about.dims ? level[l - 1].n[d] * ratio
                                                : 1;
            cells *= (double)level[l].n[d];
        }
        if (cells > (double)MM_MESH_CELLS)
            return cca_error_set(err, -EINVAL,
                                 "level %d: found %.3g cells, expected at most %.3g", l,
                                 cells, (double)MM_MESH_CELLS);
        if (l > 0)
            level[l].first = level[l - 1].first +
                             level[l - 1].n[0] * level[l - 1].n[1] * level[l - 1].n[2];
    }
    memcpy(m->level, level, sizeof level);
    m->about.levels = m->now.levels = levels;
    m->about.ratio = ratio;
    return 0;
}

static int set_about(struct mm_mesh *m, const char *name, enum mm_mesh_kind kind,
                     int dims, const int64_t *n, struct cca_error *err)
{
    struct mm_mesh_about *a = &m->about;

    if (!name || !mesh_name_holds(name))
        return cca_error_set(err, -EINVAL,
                             "mm_mesh_open: found the name '%.80s', expected 1 to %d "
                             "letters, digits and _ . + -, not . first",
                             name ? name : "", MM_MESH_NAME_BYTES - 1);
    if (dims < 1 || dims > 3)
        return cca_error_set(err, -EINVAL,
                             "mm_mesh_open: %s: found %d dimensions, expected 1 to 3",
                             name, dims);
    *a = (struct mm_mesh_about){
        .kind = kind, .dims = dims, .n = {1, 1, 1}, .spacing = {1, 1, 1}};
    strcpy(a->name, name);
    for (int d = 0; d < (kind == MM_MESH_GRID ? dims : 1); d++) {
        if (n[d] < 1 || n[d] > MM_MESH_CELLS)
            return cca_error_set(err, -EINVAL,
                                 "mm_mesh_open: %s, dimension %d: found %" PRId64
                                 " cells, expected 1 to %" PRId64,
                                 name, d, n[d], MM_MESH_CELLS);
        a->n[d] = n[d];
    }
    return mesh_levels_set(m, 1, 1, err);
}

/* Set up a mesh that will be profiled: number it, watch forks, start the clock. Returns 0
 * or errno. */
static int begin_mesh(struct mm_mesh *m, struct cca_error *err)
{
    struct timespec pause = {.tv_nsec = 1000000};
    struct mm_clock clock;
    int rc = mm_clock_check(err);

    if (rc)
        return rc;
    mm_clock_begin(&m->origin);
    if (m->origin.tsc)
        /* wait, since the clock is calibrated over a span of time */
        nanosleep(&pause, NULL);
    mm_clock_calibrate(&m->origin, &clock);
    m->ns_per_tick = clock.ns_per_tick;
    m->step = -1;
    m->every = m->request.every;
    m->now.level = m->level;
    if (m->request.grain == MESH_CELLS_AUTO)
        mesh_account_open(m);
    pthread_mutex_lock(&lock);
    if (!watching)
        watching = !pthread_atfork(before_fork, in_parent, in_child);
    rc = !watching ? -ENOMEM : forked ? -ECHILD : 0;
    for (const struct mm_mesh *other = meshes; other && !rc; other = other->next)
        if (!strcmp(other->about.name, m->about.name))
            rc = -EEXIST;
    if (!rc) {
        m->number = meshes_opened++;
        m->next = meshes;
        meshes = m;
    }
    pthread_mutex_unlock(&lock);
    if (rc)
        cca_error_set(err, rc, "mm_mesh_open: %s: %s", m->about.name,
                      rc == -ECHILD   ? "a forked child is not profiled"
                      : rc == -EEXIST ? "a mesh of this name is open"
                                      : "out of memory");
    return rc;
}

static struct mm_mesh *open_mesh(const char *name, enum mm_mesh_kind kind, int dims,
                                 const int64_t *n, struct cca_error *err)
{
    const char *cells = getenv(MESH_CELLS_VARIABLE);
    struct mm_mesh *m = calloc(1, sizeof *m);

    if (!m) {
        cca_no_memory(err);
        return NULL;
    }
    /* wrong arguments are reported even if no profile is requested */
    if (set_about(m, name, kind, dims, n, err) || !cells || !*cells ||
        read_environment(m, cells, err) || begin_mesh(m, err)) {
        free(m);
        return NULL;
    }
    return m;
}

struct mm_mesh *mm_mesh_open(const char *name, int dims, const int64_t *n,
                             struct cca_error *err)
{
    return open_mesh(name, MM_MESH_GRID, dims, n, err);
}

struct mm_mesh *mm_mesh_open_elements(const char *name, int dims, int64_t count,
                                      struct cca_error *err)
{
    return open_mesh(name, MM_MESH_UNSTRUCTURED, dims, &count, err);
}

/* Remove the mesh from the list of the process's meshes. */
static void forget(struct mm_mesh *m)
{
    pthread_mutex_lock(&lock);
    for (struct mm_mesh **at = &meshes; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

int mm_mesh_close(struct mm_mesh *m)
{
    int rc;

    if (!m)
        return 0;
    forget(m);
    mesh_slot_end(m);
    mesh_segment_leave(m, MESH_SHARED_CLOSED);
    for (int p = 0; p < m->probe_count; p++) {
        if (m->probes[p]->fd >= 0)
            close(m->probes[p]->fd);
        free(m->probes[p]);
    }
    mesh_cells_done(&m->cells);
    rc = m->error.code;
    free(m);
    return rc;
}
