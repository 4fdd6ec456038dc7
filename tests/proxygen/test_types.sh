#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Types of PETSc's solvers that are chosen for each solve of an unmodified program: by rules about the matrix, drawn,
# failing, unknown. The PETSc here is a small library with the functions that are used, and prints what each solve finds.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "what is preloaded is built without the sanitizer"

cat >petsc.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int64_t id, state; int rows, assembled; } *Mat;
typedef struct { char type[40]; } *PC;
typedef struct { int64_t id; char type[40]; PC pc; Mat a; int reason, guess, inner; } *KSP;
typedef struct { double x; } *Vec;
static int64_t ids;
static int quiet;
int KSPSolve(KSP ksp, Vec b, Vec x);
int env(const char *name, const char *value) { return getenv(name) && !strcmp(getenv(name), value); }
/* what programs call */
KSP KSPNew(Mat a) { KSP k = calloc(1, sizeof *k); k->id = ++ids; k->pc = calloc(1, sizeof *k->pc); k->a = a; return k; }
void KSPSet(KSP k, int guess, int inner) { k->guess = guess; k->inner = inner; }
Mat MatNew(int rows) { Mat a = calloc(1, sizeof *a); a->id = ++ids; a->rows = rows; a->assembled = rows < 1000; return a; }
int KSPGetPC(KSP k, PC *pc) { *pc = k->pc; return 0; }
int KSPGetType(KSP k, const char **t) { *t = *k->type ? k->type : NULL; return 0; }
int PCGetType(PC p, const char **t) { *t = *p->type ? p->type : NULL; return 0; }
int set(char *type, const char *t) { if (!strcmp(t, "none")) return 86; snprintf(type, 40, "%s", t); return 0; }
int KSPSetType(KSP k, const char *t) { return set(k->type, t); }
int PCSetType(PC p, const char *t) { return set(p->type, t); }
int KSPGetOperators(KSP k, Mat *a, Mat *p) { *a = *p = k->a; return 0; }
int KSPGetOperatorsSet(KSP k, int *a, int *p) { *a = *p = k->a != NULL; return 0; }
int KSPGetConvergedReason(KSP k, int *r) { *r = k->reason; return 0; }
int KSPGetIterationNumber(KSP k, int *n) { *n = 7; return 0; }
int KSPGetInitialGuessNonzero(KSP k, int *g) { *g = k->guess; return 0; }
int MatGetSize(Mat a, int *m, int *n) { *m = *n = a->rows; return 0; }
int MatGetType(Mat a, const char **t) { *t = "seqaij"; return 0; }
int MatAssembled(Mat a, int *is) { *is = a->assembled; return 0; }
int MatGetInfo(Mat a, int which, double *info) { info[2] = 3.0 * a->rows; return a->assembled ? 0 : 73; }
int MatIsSymmetricKnown(Mat a, int *set, int *is) { *set = *is = 1; return 0; }
int VecDuplicate(Vec v, Vec *copy) { if (env("NOCOPY", "all")) return 55; *copy = malloc(sizeof **copy); return 0; }
int VecCopy(Vec from, Vec to) { if (env("NOCOPY", "copy")) return 56; *to = *from; return 0; }
int VecDestroy(Vec *v) { free(*v); return 0; }
int PetscObjectGetId(void *o, int64_t *id) { *id = *(int64_t *)o; return 0; }
int PetscObjectStateGet(Mat a, int64_t *state) { *state = a->state; return 0; }
int PetscPushErrorHandler(void *handler, void *context) { quiet++; return 0; }
int PetscPopErrorHandler(void) { quiet--; return 0; }
int PetscReturnErrorHandler(void) { return 0; }
int KSPSolve(KSP k, Vec b, Vec x)
{
    x->x = k->guess ? x->x + b->x : b->x;
    if (env("SETUP", "1") && !*k->pc->type)
        PCSetType(k->pc, "ilu");
    k->reason = !strcmp(k->type, "bcgs") ? -3 : 2;
    if (k->inner) {
        Mat a = MatNew(1);
        KSP inner = KSPNew(a);
        KSPSolve(inner, b, x);
    }
    printf("%d:%s/%s=%g ", k->a->rows, *k->type ? k->type : "-", *k->pc->type ? k->pc->type : "-", x->x);
    if (!strcmp(k->pc->type, "lu") && !quiet)
        printf("error is printed");
    if (k->reason < 0)
        x->x = -1;
    return strcmp(k->pc->type, "lu") ? 0 : 56;
}
END
cat >solve.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *KSPNew(void *a), *MatNew(int rows), KSPSet(void *ksp, int guess, int inner);
int KSPSolve(void *ksp, double *b, double *x), KSPSetType(void *, const char *);
int main(int argc, char **argv)
{
    void *ksp = NULL, *a = NULL;
    for (int i = 1; i < argc; i++) {
        double b = 1, x = 5;
        if (*argv[i] == '-')
            KSPSetType(ksp, argv[i] + 1);
        else if (!strcmp(argv[i], "guess") || !strcmp(argv[i], "inner"))
            KSPSet(ksp, *argv[i] == 'g', *argv[i] == 'i');
        else if (!strcmp(argv[i], "same"))
            KSPSolve(ksp, &b, &x);
        else if (*argv[i] == 'p') /* in place */
            ksp = KSPNew(a = MatNew(atoi(argv[i] + 1))), KSPSolve(ksp, &b, &b);
        else
            ksp = KSPNew(a = MatNew(atoi(argv[i]))), KSPSolve(ksp, &b, &x);
    }
    printf("done\n");
    return 0;
}
END
$CC -O1 -w -shared -fPIC -Wl,-soname,libpetsc.so.1 -o libpetsc.so.1 petsc.c || exit 1
$CC -O1 -o solve solve.c libpetsc.so.1 -Wl,-rpath,"$dir" || exit 1

# --- Rules about the matrix; without a rule the types are the program's again, also types that it sets in between ----
rules() { printf '%s\n' 'dispatch petscksp.h/1' "$@" >types.dispatch; }
rules 'KSPSolve: ksp=cg,pc=icc when rows <= 100 and symmetric = 1' 'KSPSolve: pc=sor when nonzeros = 600'
solved() { # solved LINE ARGUMENT...
    local line=$1
    shift
    run 0 mastermind record --dispatch types.dispatch --no-rows -- ./solve "$@"
    says "$line"
}
solved '100:cg/icc=1 100:cg/icc=1 101:-/-=1 200:-/sor=1 2000:-/-=1 done' 100 same 101 200 2000
quiet
solved '200:-/sor=1 200:minres/sor=1 done' 200 -minres same
solved '50:cg/icc=1 50:cg/icc=1 done' 50 -minres same
# solves inside a solve are not chosen
solved '50:cg/icc=1 1:-/-=1 50:cg/icc=1 done' 50 inner same
run 0 mastermind record --dispatch types.dispatch -o rows.mm -- ./solve 100 101 200
equal 'rows' 'KSPSolve libpetsc.so.1 101 303 7 0;KSPSolve libpetsc.so.1:ksp=cg,pc=icc 100 300 7 0;KSPSolve libpetsc.so.1:pc=sor 200 600 7 0;' \
    "$(mastermind records rows.mm --csv | python3 -c '
import csv, sys
print(*sorted(" ".join(r[k] for k in ("method", "class", "p.rows", "p.nonzeros", "o.iterations", "o.again")) for r in csv.DictReader(sys.stdin)), sep=";", end=";")')"

# --- Types that fail: solved again with the program's, from the same guess, and not tried again there ------------
rules 'KSPSolve: ksp=bcgs'
solved '9:bcgs/-=1 9:gmres/-=1 9:gmres/-=1 done' 9 same
complains 'mastermind: ksp=bcgs: it has not converged (error -3): solved with the types of the program'
solved '9:bcgs/-=1 9:gmres/-=1 done' p9
NOCOPY=all solved '9:gmres/-=1 done' p9
complains 'mastermind: ksp=bcgs: the vector cannot be copied (error 55): solved with the types of the program'
NOCOPY=copy solved '9:gmres/-=1 done' p9
complains 'mastermind: ksp=bcgs: the vector cannot be copied (error 56): solved with the types of the program'
# a default that a solve sets leaves the program's other type alone
SETUP=1 solved '9:bcgs/ilu=1 9:gmres/ilu=1 done' 9
rules 'KSPSolve: pc=lu when rows = 9' 'KSPSolve: pc=lu when rows = 8'
solved '7:-/-=1 7:-/-=6 done' 7 guess same
solved '9:-/lu=1 9:-/ilu=1 done' 9
complains 'mastermind: pc=lu: KSPSolve failed (error 56): solved with the types of the program'
rules 'KSPSolve: ksp=none'
solved '9:-/-=1 done' 9
complains 'mastermind: ksp=none: PETSc does not have these types (error 86): solved with the types of the program'

# --- All pairs are drawn; one as long as a matrix is the same --------------------------------------------------------
run 0 mastermind record --try ksp=cg,gmres --try pc=icc,sor -o try.mm -- ./solve $(seq 60)
equal 'pairs' 'cg/icc cg/sor gmres/icc gmres/sor' "$(tr ' ' '\n' <out | sed -n 's/.*:\(.*\)=.*/\1/p' | sort -u | tr '\n' ' ' | sed 's/ $//')"
run 0 mastermind record --try ksp=cg,gmres --try pc=icc,sor -o same.mm -- ./solve 9 $(yes same | head -n 30)
equal 'pairs of one matrix' 1 "$(tr ' ' '\n' <out | grep = | sort -u | wc -l)"
run 0 mastermind record --try ksp=cg -o none.mm -- /bin/true
complains 'mastermind: --try ksp=cg: no library that has this setting was called'
finish
