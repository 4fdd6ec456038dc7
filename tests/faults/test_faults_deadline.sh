#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A call that never returns is named with its path: tests/faults/deadlines.py.
# lane: waits
exec bash "$(dirname "$0")/run.sh" deadlines.py
