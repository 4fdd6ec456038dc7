/* SPDX-License-Identifier: BSD-3-Clause */
/* solve.c: libmm_petsc.so, an interposition library for KSPSolve of PETSc, which can also
 * change the types of the solver and its preconditioner for a call (choice/settings.h:
 * ksp=cg,pc=icc).
 *
 * It is written by hand because the size of a system is behind the handle, and a type is
 * changed in the handle. PETSc's functions are found by name, so that neither headers nor
 * a certain MPI are needed; objects are addresses.
 *
 * A solve that fails with other types than the program's is made again with the
 * program's. Only outermost solves are chosen, not the solves of preconditioners. */
#include "proxies/interpose.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "common/random.h"

enum { SOLVERS = 256, WORD = 40, TEXT = 96, BLOCK = 4 };

/* Functions of PETSc; PetscInt is 32 or 64 bits wide, and is read into zeroed 64. */
#define PETSC(_)                                                                         \
    _(KSPGetPC, (void *ksp, void **pc))                                                  \
    _(KSPGetType, (void *ksp, const char **type))                                        \
    _(KSPSetType, (void *ksp, const char *type))                                         \
    _(PCGetType, (void *pc, const char **type))                                          \
    _(PCSetType, (void *pc, const char *type))                                           \
    _(KSPGetOperators, (void *ksp, void **a, void **p))                                  \
    _(KSPGetOperatorsSet, (void *ksp, int *a, int *p))                                   \
    _(KSPGetConvergedReason, (void *ksp, int *reason))                                   \
    _(KSPGetIterationNumber, (void *ksp, int64_t *count))                                \
    _(KSPGetInitialGuessNonzero, (void *ksp, int *is_nonzero))                           \
    _(MatGetSize, (void *mat, int64_t *rows, int64_t *columns))                          \
    _(MatGetType, (void *mat, const char **type))                                        \
    _(MatAssembled, (void *mat, int *is_assembled))                                      \
    _(MatGetInfo, (void *mat, int which, double *info))                                  \
    _(MatIsSymmetricKnown, (void *mat, int *is_known, int *is_symmetric))                \
    _(VecDuplicate, (void *vec, void **copy))                                            \
    _(VecCopy, (void *from, void *to))                                                   \
    _(VecDestroy, (void **vec))                                                          \
    _(PetscObjectGetId, (void *object, int64_t *id))                                     \
    _(PetscObjectStateGet, (void *object, int64_t *state))                               \
    _(PetscPushErrorHandler, (void *handler, void *context))                             \
    _(PetscPopErrorHandler, (void))                                                      \
    _(PetscReturnErrorHandler, (void))

#define DECLARE(name, arguments) int(*name) arguments;
static struct {
    PETSC(DECLARE)
    uintptr_t (*PetscObjectComm)(void *object);
    int (*MPI_Comm_size)(uintptr_t comm, int *size);
    int is_there; /* true if all functions but the last two were found */
} petsc;

/* The types of a solver and its preconditioner; "": not set yet. */
struct types {
    char ksp[WORD], pc[WORD];
};

/* A solver of the program. */
struct solver {
    int64_t id, matrix, state; /* of the solver, and of its matrix at the last draw */
    struct types own, set;     /* the program's types, and those set here */
    char failed[TEXT];         /* types that have failed in it */
    uint64_t solves, drawn;    /* solves of blocks, and the last draw */
};

static struct solver solvers[SOLVERS];
static size_t solver_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The call of the thread. */
static __thread struct {
    void *ksp;
    struct solver *solver;
    unsigned depth;
    const char *text; /* the types that were set for it; NULL: the program's */
} here __attribute__((tls_model("initial-exec")));

static const struct monitor_value_decl values[] = {
    {"rows", "rows of the matrix", MONITOR_INT64, MONITOR_PARAM, NULL, 0},
    {"nonzeros", "nonzeros of the matrix", MONITOR_INT64, MONITOR_PARAM, NULL, 0},
    {"symmetric", "known to be symmetric", MONITOR_INT64, MONITOR_MODE, NULL, 0},
    {"iterations", "iterations", MONITOR_INT64, MONITOR_OUT, NULL, 0},
    {"reason", "KSPConvergedReason", MONITOR_INT64, MONITOR_OUT, NULL, 0},
    {"again", "1: solved again, with the program's types", MONITOR_INT64, MONITOR_OUT,
     NULL, 0}};
enum { IN = 3, OUT = 3 };

static struct interpose_function functions[] = {
    {"KSPSolve", "KSPSolve", values, IN, OUT, {NULL}, NULL, 0}};
static struct interpose_library library = {
    INTERPOSE_ABI, sizeof library, "petscksp.h", NULL, NULL, functions, 1,
    NULL,          NULL,           NULL,         0};

/* --- PETSc ---------------------------------------------------------------- */

static void *find(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);

    return !found && mm_preload_find ? mm_preload_find(symbol) : found;
}

static void find_all(void)
{
#define FIND(name, arguments)                                                            \
    *(void **)&petsc.name = find(#name);                                                 \
    missing += !petsc.name;
    int missing = 0;

    PETSC(FIND)
    *(void **)&petsc.PetscObjectComm = find("PetscObjectComm");
    *(void **)&petsc.MPI_Comm_size = find("MPI_Comm_size");
    petsc.is_there = !missing;
}

static void find_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_all);
}

/* Errors of the calls between are returned, and not printed. */
static void be_quiet(void)
{
    union {
        int (*function)(void);
        void *address;
    } handler = {petsc.PetscReturnErrorHandler};

    petsc.PetscPushErrorHandler(handler.address, NULL);
}

static void *matrix_of(void *ksp)
{
    int is_set = 0, has_other;
    void *a = NULL, *p = NULL;

    if (!petsc.KSPGetOperatorsSet(ksp, &is_set, &has_other) && is_set)
        petsc.KSPGetOperators(ksp, &a, &p);
    return a;
}

/* The number of processes that solve the system. */
static int ranks_of(void *ksp)
{
    int size = 1;

    if (petsc.PetscObjectComm && petsc.MPI_Comm_size)
        petsc.MPI_Comm_size(petsc.PetscObjectComm(ksp), &size);
    return size;
}

static void get_in(void *ksp, union monitor_value in[IN])
{
    enum { SUM = 3, NONZEROS = 2, NUMBERS = 16 }; /* MAT_GLOBAL_SUM, MatInfo.nz_used */
    int64_t rows = 0, columns = 0;
    int is_assembled = 0, is_known = 0, is_symmetric = 0;
    const char *type = NULL;
    double info[NUMBERS] = {0};
    void *a = matrix_of(ksp);

    for (int i = 0; i < IN; i++)
        in[i].i = MONITOR_ABSENT;
    if (!a || petsc.MatGetSize(a, &rows, &columns) || rows < 0)
        return;
    in[0].i = rows;
    if (!petsc.MatGetType(a, &type) && type && strstr(type, "aij") &&
        !petsc.MatAssembled(a, &is_assembled) && is_assembled &&
        !petsc.MatGetInfo(a, SUM, info))
        in[1].i = (int64_t)info[NONZEROS];
    if (!petsc.MatIsSymmetricKnown(a, &is_known, &is_symmetric) && is_known)
        in[2].i = is_symmetric;
}

/* --- Types ---------------------------------------------------------------- */

static void get_types(void *ksp, void **pc, struct types *types)
{
    const char *ksp_type = NULL, *pc_type = NULL;

    petsc.KSPGetType(ksp, &ksp_type);
    if (!petsc.KSPGetPC(ksp, pc))
        petsc.PCGetType(*pc, &pc_type);
    snprintf(types->ksp, sizeof types->ksp, "%s", ksp_type ? ksp_type : "");
    snprintf(types->pc, sizeof types->pc, "%s", pc_type ? pc_type : "");
}

/* Set the types. Where the program had left them to PETSc, so are they again. */
static int set_types(void *ksp, void *pc, const struct types *now,
                     const struct types *wanted)
{
    const char *ksp_type = *wanted->ksp ? wanted->ksp : "gmres",
               *pc_type = *wanted->pc         ? wanted->pc
                          : ranks_of(ksp) > 1 ? "bjacobi"
                                              : "ilu";
    int error = 0;

    if (strcmp(now->ksp, wanted->ksp) != 0)
        error = petsc.KSPSetType(ksp, ksp_type);
    if (!error && strcmp(now->pc, wanted->pc) != 0)
        error = petsc.PCSetType(pc, pc_type);
    return error;
}

/* Copy the value of `key` in "ksp=cg,pc=icc". */
static void get_word(const char *text, const char *key, char word[WORD])
{
    const size_t length = strlen(key);

    for (const char *at = text; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            snprintf(word, WORD, "%.*s", (int)strcspn(at + length + 1, ","),
                     at + length + 1);
    }
}

static void report(const char *text, const char *what, int error)
{
    static int reported;
    const char *job = getenv("MASTERMIND_RECORD_JOB"); /* "RANK RANKS NAME" */

    if (job && strncmp(job, "0 ", 2) != 0)
        return;
    if (!__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED))
        fprintf(stderr,
                "mastermind: %s: %s (error %d): solved with the types of the program\n",
                text, what, error);
}

static int use_types(void *ksp, struct solver *solver, const char *text)
{
    struct types now, wanted;
    void *pc = NULL;
    int error;

    get_types(ksp, &pc, &now);
    /* the program, or PETSc for it, has set a type */
    if (strcmp(now.ksp, solver->set.ksp) != 0)
        snprintf(solver->own.ksp, WORD, "%s", now.ksp);
    if (strcmp(now.pc, solver->set.pc) != 0)
        snprintf(solver->own.pc, WORD, "%s", now.pc);
    wanted = solver->own;
    get_word(text, "ksp", wanted.ksp);
    get_word(text, "pc", wanted.pc);
    be_quiet();
    error = set_types(ksp, pc, &now, &wanted);
    petsc.PetscPopErrorHandler();
    get_types(ksp, &pc, &solver->set);
    return error;
}

static struct solver *find_solver(void *ksp)
{
    int64_t id = 0;
    size_t i = 0;

    if (petsc.PetscObjectGetId(ksp, &id))
        return NULL;
    pthread_mutex_lock(&lock);
    while (i < solver_count && i < SOLVERS && solvers[i].id != id)
        i++;
    if (i == solver_count || i == SOLVERS) { /* the oldest is forgotten */
        i = solver_count++ % SOLVERS;
        memset(&solvers[i], 0, sizeof solvers[i]);
        solvers[i].id = id;
        solvers[i].state = -1;
    }
    pthread_mutex_unlock(&lock);
    return &solvers[i];
}

/* Set the types "ksp=cg,pc=icc" for the call that begins in this thread, "": the
 * program's. Returns 0; else the program's types are set. */
INTERPOSE_EXPORT int mm_petsc_apply(const char *text);
INTERPOSE_EXPORT int mm_petsc_apply(const char *text)
{
    int error = 0;

    if (!here.solver)
        return -1;
    if (*text && strcmp(text, here.solver->failed) != 0) {
        error = use_types(here.ksp, here.solver, text);
        if (!error) {
            here.text = text;
            return 0;
        }
        report(text, "PETSc does not have these types", error);
    }
    use_types(here.ksp, here.solver, "");
    return *text ? -1 : 0;
}

/* Draw one of `count` candidates for the call that begins in this thread: the one before
 * as long as the matrix is unchanged, and else for some solves, because the first one
 * with other types has work that the next ones need not do. On several ranks all draw
 * the same. */
INTERPOSE_EXPORT size_t mm_petsc_draw(size_t count);
INTERPOSE_EXPORT size_t mm_petsc_draw(size_t count)
{
    static uint64_t random;
    const char *job = getenv("MASTERMIND_RECORD_JOB");
    struct solver *solver = here.solver;
    int64_t matrix = 0, state = -1;
    void *a = matrix_of(here.ksp);
    uint64_t draw;

    if (!solver)
        return 0;
    if (a && !petsc.PetscObjectGetId(a, &matrix))
        petsc.PetscObjectStateGet(a, &state);
    if (state >= 0 && matrix == solver->matrix && state == solver->state)
        return (size_t)(solver->drawn % count);
    solver->matrix = matrix;
    solver->state = state;
    if (solver->solves++ % BLOCK != 0)
        return (size_t)(solver->drawn % count);
    pthread_mutex_lock(&lock);
    if (ranks_of(here.ksp) > 1) { /* "RANK RANKS NAME" */
        for (int i = 0; job && i < 2; i++)
            job = strchr(job, ' ') ? strchr(job, ' ') + 1 : job;
        draw = cca_hash_text(solver->solves, job ? job : "");
        draw = cca_random_next(&draw);
    } else {
        if (!random)
            random = (uint64_t)cca_clock_ns(CLOCK_MONOTONIC);
        draw = cca_random_next(&random);
    }
    pthread_mutex_unlock(&lock);
    solver->drawn = draw >> 16;
    return (size_t)(solver->drawn % count);
}

/* --- The function --------------------------------------------------------- */

INTERPOSE_EXPORT int KSPSolve(void *ksp, void *b, void *x);

typedef int solve_function(void *ksp, void *b, void *x);

/* Copy `x` if a second solve needs it: the initial guess, or the right-hand side of a
 * solve in place. */
static int keep(void *b, void *x, void **copy)
{
    int is_nonzero = 0, error;

    petsc.KSPGetInitialGuessNonzero(here.ksp, &is_nonzero);
    if (!x || !(is_nonzero || x == b))
        return 0;
    error = petsc.VecDuplicate(x, copy);
    if (error) {
        *copy = NULL;
        return error;
    }
    error = petsc.VecCopy(x, *copy);
    if (error)
        petsc.VecDestroy(copy);
    return error;
}

/* Solve with other types than the program's, and again with the program's if that
 * fails; with the program's alone where a second solve could not be made. */
static int solve_chosen(solve_function *solve, void *b, void *x, int *is_again)
{
    int reason = 0, error;
    void *guess = NULL;

    be_quiet();
    error = keep(b, x, &guess);
    if (error) {
        petsc.PetscPopErrorHandler();
        *is_again = 1;
        report(here.text, "the vector cannot be copied", error);
        use_types(here.ksp, here.solver, "");
        return solve(here.ksp, b, x);
    }
    error = solve(here.ksp, b, x);
    petsc.PetscPopErrorHandler();
    if (!error)
        petsc.KSPGetConvergedReason(here.ksp, &reason);
    if (error || reason < 0) {
        *is_again = 1;
        snprintf(here.solver->failed, TEXT, "%s", here.text);
        report(here.text, error ? "KSPSolve failed" : "it has not converged",
               error ? error : reason);
        use_types(here.ksp, here.solver, "");
        error = guess ? petsc.VecCopy(guess, x) : 0;
        error = error ? error : solve(here.ksp, b, x);
    }
    if (guess)
        petsc.VecDestroy(&guess);
    return error;
}

static int solve_plain(solve_function *solve, void *ksp, void *b, void *x)
{
    int error;

    here.depth++;
    error = solve(ksp, b, x);
    here.depth--;
    return error;
}

int KSPSolve(void *ksp, void *b, void *x)
{
    struct interpose_function *const function = &functions[0];
    const void *const caller = __builtin_return_address(0);
    union monitor_value in[IN], out[OUT];
    solve_function *solve;
    int64_t iterations = 0;
    int error, reason = 0, is_again = 0;

    if (!interpose_ready(function))
        return 0;
    solve = (solve_function *)interpose_real(function, caller);
    if (!here.depth)
        find_once();
    if (here.depth || !petsc.is_there || !interpose_on(&library, function))
        return solve_plain(solve, ksp, b, x);
    mm_interpose_busy = 1;
    here.ksp = ksp;
    here.solver = find_solver(ksp);
    here.text = NULL;
    get_in(ksp, in);
    mm_interpose_busy = 0;

    INTERPOSE_CALL call = interpose_begin(&library, function, in);

    here.depth++;
    error = here.text ? solve_chosen(solve, b, x, &is_again) : solve(ksp, b, x);
    here.depth--;
    petsc.KSPGetConvergedReason(ksp, &reason);
    petsc.KSPGetIterationNumber(ksp, &iterations);
    out[0].i = iterations;
    out[1].i = reason;
    out[2].i = is_again;
    interpose_end(&call, out);
    return error;
}

__attribute__((constructor)) static void start(void)
{
    interpose_start(&library);
}
