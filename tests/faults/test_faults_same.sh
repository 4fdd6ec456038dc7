#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Assemblies drawn by lot are the same bare and measured: tests/faults/same.py.
exec bash "$(dirname "$0")/run.sh" same.py
