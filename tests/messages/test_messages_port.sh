#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A component asks for this process's messages while it runs, by the Mastermind's port.
. "$(dirname "$0")/../lib/mpi.sh"
cat >ask.rc <<'END'
instantiate Mastermind mm
instantiate TauMeasurement tau
instantiate Asker asker
connect mm measurement tau measurement
connect asker messages mm messages
go asker go
quit
END
ask() {
    cp ../ask.rc .
    ranks 0 2 ccafe --path "$O/tests/components/$flavour" --messages P-0.5-FREQ ask.rc
    ranks 4 2 ccafe --path "$O/tests/components/$flavour" -o plain.mm ask.rc
    grep -q 'no messages' err || fail "$flavour: no line about messages that are not sampled: $(cat err)"
}
under_each ask "a component that asks for messages"
