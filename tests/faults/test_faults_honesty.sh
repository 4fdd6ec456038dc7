#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Times of calls whose time is known: tests/faults/honesty.py.
exec bash "$(dirname "$0")/run.sh" honesty.py
