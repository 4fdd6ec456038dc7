#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Proxies of proxies, coroutines, children, missing counters: tests/faults/twists.py.
exec bash "$(dirname "$0")/run.sh" twists.py
