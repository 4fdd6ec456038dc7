#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The directory of a run that is still going is read: tests/faults/live.py.
exec bash "$(dirname "$0")/run.sh" live.py
