#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The sample model as several UML tools write it lasts what the paper's sample does.
. "$(dirname "$0")/../lib/lib.sh"
files=$root/tests/activity/xmi

for name in papyrus.uml magicdraw.xml ea.xml; do
    rm -rf models
    xmllint --noout "$files/$name" || fail "$name: well-formed"
    run 0 activity import "$files/$name" -o models
    run 0 activity run models/*.act --config N1P4,N8P32
    equal "$name" 2 "$(grep -c '194\.184431847 s' out)"
    for id in 351571381 1177289997 1239919776 1863688672 1031993818; do
        holds models/*.act "id $id "
    done
done
finish
