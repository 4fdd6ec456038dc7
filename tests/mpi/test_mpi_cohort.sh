#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks agree: the same script, statements, classes, parameters and options; who differs is named,
# all end with the same status, and only rank 0 prints.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"
mkdir classes && ln -s "$O"/tests/components/mp_faulty.so classes
ccafe="ccafe --path $dir/classes"

cat >all.rc <<'END'
instantiate Faulty f
parameter f config steps $STEPS
source inner.rc
display arena
quit $END
END
echo 'go f go' >inner.rc
sed 's/display arena/display state/' all.rc >other.rc
echo 'display arena' >other_inner.rc

cat >source.rc <<'END'
source ${WHICH}inner.rc
quit
END

cohorts() {
    cp ../*.rc .
    for n in 1 4; do
        ranks 0 $n $ccafe -D STEPS=5 -D END=0 all.rc
        [ "$(cat out)" = 'instantiate Faulty f' ] || fail "$flavour, $n ranks print $(cat out)"
    done
    # A status of quit and a mistake that all make are told once.
    ranks 9 2 $ccafe -D STEPS=5 -D END=9 all.rc
    ranks 3 3 $ccafe -D STEPS=none -D END=0 all.rc
    [ "$(grep -c "^all.rc:2: parameter 'steps' of 'f'" err)" = 1 ] || fail "$flavour: $(cat err)"

    turn && {
        ranks 3 3 ../each "$ccafe -D STEPS=\$((RANK == 2 ? 6 : 5)) -D END=0 all.rc"
        holds err "rank 2: all.rc:2: found 'parameter f config steps 6', expected 'parameter f config steps 5' as on rank 0"
    }
    turn && {
        ranks 3 3 ../each "$ccafe -D STEPS=\$((RANK ? 6 : 5)) -D END=0 all.rc"
        holds err "rank 0: all.rc:2: found 'parameter f config steps 5', expected 'parameter f config steps 6' as on rank 1"
    }
    turn && {
        ranks 3 3 ../each "$ccafe \$([ \$RANK = 1 ] || echo -D STEPS=5) -D END=0 all.rc"
        holds err "rank 1: all.rc:2: variable 'STEPS' is not defined"
    }
    turn && {
        ranks 3 3 ../each "$ccafe -D STEPS=5 -D END=\$RANK all.rc"
        holds err "rank 1: all.rc:5: found 'quit 1', expected 'quit 0' as on rank 0"
    }

    turn && {
        ranks 3 2 ../each "$ccafe -D STEPS=5 -D END=0 \$([ \$RANK = 1 ] && echo other || echo all).rc"
        holds err "rank 1: found script 'other.rc' of "
    }
    turn && {
        ranks 5 2 ../each "$ccafe -D STEPS=5 -D END=0 \$([ \$RANK = 1 ] && echo none || echo all).rc"
        holds err "rank 1: cannot read script 'none.rc'"
    }
    turn && {
        ranks 3 2 ../each "WHICH=\$([ \$RANK = 1 ] && echo other_) $ccafe source.rc"
        holds err "rank 1: source.rc:1: found 'source other_inner.rc', expected 'source inner.rc'"
    }

    # A class that one rank lacks, or has another build of.
    turn && {
        ranks 3 3 ../each "ccafe \$([ \$RANK = 1 ] || echo --path $dir/classes) -D STEPS=5 -D END=0 all.rc"
        holds err "rank 1: all.rc:1: found 'instantiate Faulty f' with no class 'Faulty' on the path, expected 'instantiate Faulty f' with Faulty of build "
    }
    # The same class, but for its build id.
    mkdir others
    python3 - ../classes/mp_faulty.so others/mp_faulty.so <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
data[at] ^= 1
open(sys.argv[2], "wb").write(data)
PY
    turn && {
        ranks 3 3 ../each "ccafe --path $dir/\$([ \$RANK = 1 ] && echo $flavour/others || echo classes) -D STEPS=5 -D END=0 all.rc"
        holds err "rank 1: all.rc:1: found 'instantiate Faulty f' with Faulty of build "
    }

    # One that cannot be made on one rank only.
    turn && {
        ranks 5 3 ../each "MP_RANK=\$RANK MP_CREATE_FAILS=2 $ccafe -D STEPS=5 -D END=0 all.rc"
        holds err "rank 2: all.rc:1: class 'Faulty' makes no instance 'f': not on this machine"
    }

    # Options, and a directory that is not there.
    turn && {
        ranks 3 2 ../each "$ccafe \$([ \$RANK = 1 ] && echo --measure) -D STEPS=5 -D END=0 all.rc"
        holds err "rank 1: ccafe: found version"
    }
    turn && {
        ranks 2 2 ../each "$ccafe \$([ \$RANK = 1 ] && echo --path /nowhere/at/all) -D STEPS=5 -D END=0 all.rc"
        holds err "rank 1: --path: directory '/nowhere/at/all'"
    }

    # Overrides.
    turn && {
        ranks 3 2 ../each "$ccafe --set f.config.steps=\$((RANK + 5)) -D STEPS=5 -D END=0 all.rc"
        holds err "--set f.config.steps=6, expected"
    }
    turn && {
        ranks 0 2 $ccafe --set f.config.steps=5 --class f=Faulty -D STEPS=none -D END=0 all.rc
    }
    turn && {
        ranks 2 2 $ccafe --set f.config.steps=none --class g=Faulty -D STEPS=5 -D END=0 all.rc
        [ "$(grep -c "^all.rc:1: --set f.config.steps=none: parameter 'steps' of 'f'" err)" = 1 ] || fail "$flavour: $(cat err)"
        [ "$(grep -c "^ccafe: --class g=Faulty: the script makes no instance 'g'" err)" = 1 ] || fail "$flavour: $(cat err)"
    }

    # Output of each rank.
    turn && {
        ranks 0 3 $ccafe --rank-output output -D STEPS=5 -D END=0 all.rc
        for r in 0 1 2; do
            [ "$(cat output/rank-000$r.out)" = 'instantiate Faulty f' ] || fail "output of rank $r"
        done
        [ ! -s out ] || fail "with --rank-output standard output has $(cat out)"
    }

    # Complaints are heard all the same.
    turn && {
        ranks 3 2 $ccafe --rank-output output -D STEPS=none -D END=0 all.rc
        holds err "all.rc:2: parameter 'steps' of 'f'"
        [ ! -s output/rank-0001.err ] || fail "rank 1 complains, too: $(cat output/rank-0001.err)"
    }

    # A script from standard input, which only rank 0 has: all ranks get it.
    for script in '' -; do
        turn || continue
        from=all.rc ranks 0 3 $ccafe -D STEPS=5 -D END=0 $script
        [ "$(cat out)" = 'instantiate Faulty f' ] || fail "$flavour: from stdin: $(cat out)"
    done
    yes '# as long as a pipe, or nearly so' | head -1500 | cat - all.rc >long.rc
    from=long.rc ranks 9 2 $ccafe -D STEPS=5 -D END=9 -
    turn && {
        from=all.rc ranks 3 3 $ccafe -D STEPS=none -D END=0 -
        [ "$(grep -c "^stdin:2: parameter 'steps' of 'f'" err)" = 1 ] || fail "$flavour: $(cat err)"
    }
    turn && {
        from=all.rc ranks 3 3 ../each "$ccafe -D STEPS=\$((RANK == 2 ? 6 : 5)) -D END=0 -"
        holds err "rank 2: stdin:2: found 'parameter f config steps 6', expected 'parameter f config steps 5' as on rank 0"
    }
    turn && ranks 0 2 $ccafe - # of nothing
    turn && {
        ranks 5 2 ../each "$ccafe - </"
        holds err "stdin: cannot be read: Is a directory"
    }

    # A build without this MPI says so.
    mkdir -p without/bin without/lib
    cp "$O/bin/ccafe" without/bin && cp "$O/lib/libcca.so" without/lib
    ranks 2 2 without/bin/ccafe -D STEPS=5 -D END=0 all.rc
    holds err "started by the launcher of $flavour, for which this build has no library"

    # Alone although a launcher started it; and not at all with another MPI than there is.
    ranks 4 1 $ccafe --mpi none -D STEPS=5 -D END=0 all.rc
    holds err "inner.rc:1: 'go' of 'f' returned -107: 'f': uses port 'exchange' of 'f' is not connected"
}
ccafe --mpi lam all.rc 2>err
[ $? = 2 ] && grep -q "expected openmpi, mpich or none" err || fail "--mpi lam: $(cat err)"
under_each cohorts "cohorts"
