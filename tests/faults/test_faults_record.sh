#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs drawn by lot are the same bare and under `mastermind record`: tests/faults/record.py.
case $BUILD in asan | tsan) echo "a sanitizer cannot be preloaded" && exit 77 ;; esac
exec bash "$(dirname "$0")/run.sh" record.py
