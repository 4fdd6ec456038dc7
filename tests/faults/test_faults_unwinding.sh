#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Calls left by longjmp, C++ exceptions and cancellation: tests/faults/unwinding.py.
exec bash "$(dirname "$0")/run.sh" unwinding.py
