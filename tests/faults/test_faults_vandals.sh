#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Components that change the process, full disks, clocks that jump: tests/faults/vandals.py.
exec bash "$(dirname "$0")/run.sh" vandals.py
