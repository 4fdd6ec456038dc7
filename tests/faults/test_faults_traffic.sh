#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Recursion, threads, forks, alarms and very many calls: tests/faults/traffic.py.
exec bash "$(dirname "$0")/run.sh" traffic.py
