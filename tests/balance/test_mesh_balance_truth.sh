#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind balance` on random traces: partitions, loads, prices, the optimum and policies as computed
# anew from their definitions, the optimum by trying all schedules.
. "$(dirname "$0")/../lib/lib.sh"
count=${FAULT_SEEDS:-${SOAK:+3000}} # FAULT_SEEDS: traces
python3 "$root/tests/balance/balance_truth.py" "${count:-60}" 1 >out 2>err || fail "not as computed anew"
finish "$(cat out)"
