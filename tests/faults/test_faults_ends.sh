#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Signals, exits and stacks that run over, anywhere in an assembly: tests/faults/ends.py.
exec bash "$(dirname "$0")/run.sh" ends.py
