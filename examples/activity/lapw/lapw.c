/* SPDX-License-Identifier: BSD-3-Clause */
/* lapw.c: a program with the structure of LAPW0 (Pllana and others 2008, Section 5):
 * atoms are distributed over ranks; it computes moments and a potential for each atom,
 * with all-reduces between them, and output in the order of ranks. The amount of
 * arithmetic is the same for each atom; the numbers have no physical meaning.
 *
 *   mpicc -O2 lapw.c -o lapw -lm && mpirun -n 2 ./lapw 64
 *   LAPW NAT=64 P=2 seconds=1.234
 *
 * With "phases" after the number of atoms it prints a line for each phase: its CPU time
 * on the slowest rank, the number of atoms of a rank, and of all ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

/* Numbers of loop iterations: for an atom's moments, a pair of atoms, the transform, an
 * atom's potential, an atom's lines of output. */
enum { GRID = 1900, PAIR = 30000, ROUNDS = 250, POTENTIAL = 1200000, LINES = 2000 };
enum { FIELD = 4096, PHASES = 5 };

static const char *const phase_names[PHASES] = {"CalcMPM", "Coulomb", "DoSFT", "DefVTOT",
                                                "Output"};

struct state {
    int rank, size;
    long atoms, own, first; /* number of all atoms, number of this rank's atoms, index of
                               this rank's first atom */
    double *moments;        /* moment of each atom */
    double field[FIELD];
    double spent[PHASES]; /* CPU time spent in each phase, s */
    double kept; /* sum of results, so that the compiler removes no computation */
};

static double cpu_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- Phases. --- */

/* Compute a moment of each own atom: a sum over a grid. */
static void calculate_moments(struct state *s)
{
    for (long a = 0; a < s->own; a++) {
        double sum = 0, x = .1 + (double)(s->first + a) / (double)s->atoms;

        for (int i = 1; i <= GRID; i++)
            for (int k = 1; k <= GRID; k++)
                sum += x * i / (1 + x * k + (double)(i * k));
        s->moments[s->first + a] = sum;
    }
}

/* Compute each own atom's potential in the field of all atoms. */
static void calculate_coulomb(struct state *s)
{
    for (long a = 0; a < s->own; a++)
        for (long b = 0; b < s->atoms; b++) {
            double sum = 0, q = s->moments[b];

            for (int i = 1; i <= PAIR; i++)
                sum += q / (q + (double)(i + labs(s->first + a - b)));
            s->field[(s->first + a) % FIELD] += 1e-9 * sum;
        }
}

/* Transform the field; all ranks compute the same result. */
static void transform_field(struct state *s)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int half = 1; half < FIELD; half *= 2)
            for (int i = 0; i < FIELD; i++) {
                int k = i ^ half;

                if (k > i) {
                    double sum = s->field[i] + s->field[k];

                    s->field[k] = .5 * (s->field[i] - s->field[k]);
                    s->field[i] = .5 * sum;
                }
            }
}

static void define_potential(struct state *s)
{
    for (long a = 0; a < s->own; a++) {
        double sum = 0;

        for (int i = 1; i <= POTENTIAL; i++)
            sum += sqrt(s->moments[s->first + a] + i);
        s->kept += sum;
    }
}

/* Write the output in the order of ranks: each rank formats its lines when the rank
 * before it is done. */
static void write_output(struct state *s)
{
    char line[80];

    for (long a = 0; a < s->own; a++)
        for (int i = 0; i < LINES; i++)
            s->kept += snprintf(line, sizeof line, "%ld %.10g\n", s->first + a,
                                s->moments[s->first + a] + i);
}

/* --- The program. --- */

static void run_phase(struct state *s, int phase, void (*work)(struct state *s))
{
    double begin = cpu_time();

    work(s);
    s->spent[phase] += cpu_time() - begin;
}

static void run(struct state *s)
{
    int token = 0;

    run_phase(s, 0, calculate_moments);
    MPI_Allreduce(MPI_IN_PLACE, s->moments, (int)s->atoms, MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
    run_phase(s, 1, calculate_coulomb);
    MPI_Allreduce(MPI_IN_PLACE, s->field, FIELD, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    run_phase(s, 2, transform_field);
    run_phase(s, 3, define_potential);
    if (s->rank > 0)
        MPI_Recv(&token, 1, MPI_INT, s->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    run_phase(s, 4, write_output);
    if (s->rank < s->size - 1)
        MPI_Send(&token, 1, MPI_INT, s->rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static struct state s;
    double begin, seconds, worst[PHASES];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    s.atoms = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    s.moments = s.atoms > 0 ? calloc((size_t)s.atoms, sizeof *s.moments) : NULL;
    if (!s.moments) {
        fprintf(stderr, "usage: lapw ATOMS [phases]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    s.first = s.atoms * s.rank / s.size;
    s.own = s.atoms * (s.rank + 1) / s.size - s.first;
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    run(&s);
    seconds = MPI_Wtime() - begin;
    MPI_Reduce(s.spent, worst, PHASES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (s.rank == 0)
        printf("LAPW NAT=%ld P=%d seconds=%.6f\n", s.atoms, s.size, seconds);
    for (int p = 0; p < PHASES && s.rank == 0 && argc > 2; p++)
        printf("phase %s PNAT=%ld NAT=%ld seconds=%.9f\n", phase_names[p], s.own, s.atoms,
               worst[p]);
    if (s.kept == 42)
        puts("");
    free(s.moments);
    return MPI_Finalize();
}
