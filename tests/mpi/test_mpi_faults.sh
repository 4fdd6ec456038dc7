#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A rank fails, leaves or dies in the middle, wherever the others are: the run ends within seconds,
# not with 0, and says which rank it was.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"
mkdir classes && ln -s "$O"/tests/components/mp_faulty.so classes
ccafe="ccafe --path $dir/classes"

cat >faulty.rc <<'END'
instantiate Faulty f
parameter f config rank $WHO
parameter f config how $HOW
parameter f config others $OTHERS
go f go
quit
END
cat >twice.rc <<'END'
instantiate Faulty f
parameter f config rank $WHO
parameter f config how $HOW
go f go
go f go
quit
END
cat >hang.rc <<'END'
instantiate Faulty f
parameter f config steps 1000000000
go f go
quit
END
cat >ring.rc <<'END'
instantiate Ring a
instantiate Ring b
parameter b config fails $WHO
go a go
go b go
go a go
quit
END

# dies HOW WHO STATUS [OTHERS]
dies() {
    ranks "$3" 3 $ccafe -D HOW=$1 -D WHO=$2 -D OTHERS=${4:-wait} faulty.rc
}

faults() {
    cp ../*.rc .
    dies return 1 4
    holds err "rank 1: faulty.rc:5: 'go' of 'f' returned -33: 'f': the pressure is negative"
    ! grep -q "its process has ended" err || fail "$flavour: an end in order: $(cat err)"
    [ "$(grep -c '^rank' err)" = 1 ] || fail "$flavour: who was called back complains: $(cat err)"
    dies return 0 4 sleep
    holds err "rank 0: faulty.rc:5: 'go' of 'f' returned -33"
    turn && {
        dies exit 2 bad
        holds err "rank 2: faulty.rc:5: a component ended the program in 'go' with status 0"
    }
    turn && {
        dies exit7 1 bad
        holds err "rank 1: faulty.rc:5: a component ended the program in 'go' with status 7"
    }
    dies abort 0 bad
    dies segv 1 bad
    if [ "$BUILD" != asan ]; then # it has words of its own
        holds err "rank 1: faulty.rc:5: killed in 'go' by signal 11"
    fi
    MPIRUN_LEAVES=1 dies kill 1 bad
    holds err "rank 1: its process has ended in the middle of the run"
    [ "$(grep -c "its process has ended" err)" = 1 ] || fail "$flavour: others are named, too: $(cat err)"
    dies kill 1 bad # whoever is seen to end first
    [ "$(grep -c "its process has ended" err)" = 1 ] || fail "$flavour: not one rank is named: $(cat err)"

    # What was measured on all ranks can be read, whatever the end.
    for how in return kill; do
        ranks bad 3 $ccafe --measure --experiment $how.mm -D HOW=$how -D WHO=1 -D OTHERS=wait faulty.rc
        mastermind report $how.mm >report.txt 2>&1 || fail "$flavour: report: $(cat report.txt)"
        holds report.txt "sums over 3 threads of 3 ranks"
        ! grep -q nan report.txt || fail "$flavour: $(cat report.txt)"
    done
    holds report.txt "running at the end, rank 1 thread 0: f.go.go"
    holds report.txt "this run did not end in order"

    # Nothing fails, but the assembly is not the same any more.
    turn && {
        ranks 3 3 $ccafe -D HOW=drift -D WHO=1 twice.rc
        holds err "rank 1: twice.rc:5: found f.config.at = 11, expected f.config.at = 10 as on rank 0"
    }

    # Who hangs is named by the deadline.
    ranks bad 2 $ccafe --deadline 1 -D HOW=return -D WHO=-1 hang.rc
    holds err "hang.rc:3: 'go' of 'f' has not returned within its deadline of 1 s"

    # What MPI itself is waiting in cannot be called back.
    ring="ccafe --path $O/tests/components/$flavour"
    for n in 2 ${SOAK:+1 4}; do
        ranks 0 $n $ring -D WHO=-1 ring.rc
        [ "$(cat out)" = "$(printf '%s: '$n' ranks of '$flavour', thread level 3\n' a b a)" ] ||
            fail "$flavour, ring of $n: $(cat out)"
    done
    start=$SECONDS
    ranks 4 3 $ring -D WHO=2 ring.rc
    holds err "rank 2: ring.rc:5: 'go' of 'b' returned -33: 'b': no more fuel"
    [ $((SECONDS - start)) -lt 40 ] || fail "$flavour: it took $((SECONDS - start)) s to give up"
}
under_each faults "failures of one rank"
