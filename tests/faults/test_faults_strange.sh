#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a stranger would try: tests/faults/strange.py.
exec bash "$(dirname "$0")/run.sh" strange.py
