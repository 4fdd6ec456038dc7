#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# UML files as other tools write them become structured models, or are refused with file and line and nothing is written.
. "$(dirname "$0")/../lib/lib.sh"

# uml [NODES AND EDGES]: a file of one activity; n KIND ID [NAME] and e FROM TO [GUARD] make its parts
n() { echo "<node xmi:type=\"uml:$1\" xmi:id=\"$2\" name=\"${3:-}\"/>"; }
e() {
    if [ -n "${3:-}" ]; then
        echo "<edge xmi:type=\"uml:ControlFlow\" xmi:id=\"$1$2\" source=\"$1\" target=\"$2\"><guard xmi:type=\"uml:LiteralString\" xmi:id=\"g$1$2\" value=\"$3\"/></edge>"
    else
        echo "<edge xmi:type=\"uml:ControlFlow\" xmi:id=\"$1$2\" source=\"$1\" target=\"$2\"/>"
    fi
}
uml() {
    echo '<?xml version="1.0"?><xmi:XMI xmi:version="2.1" xmlns:xmi="http://schema.omg.org/spec/XMI/2.1" xmlns:uml="http://schema.omg.org/spec/UML/2.1">'
    echo '<uml:Model xmi:id="m" name="m"><packagedElement xmi:type="uml:Activity" xmi:id="a" name="Work">'
    n InitialNode i && n ActivityFinalNode z
    cat
    echo '</packagedElement></uml:Model></xmi:XMI>'
}
# becomes TEXT <parts: the model's elements in one line
becomes() {
    uml >m.uml
    run 0 activity import m.uml -o d -f
    activity print d/m.act | sed -n '/^activity Main/,/^}/p' | sed 's,  *//.*,,' | tr '\n' ' ' | tr -s ' ' >one
    equal "the flow" "activity Main { $1} " "$(cat one)"
}
{ n OpaqueAction A A && n OpaqueAction B B && e i A && e A B && e B z; } | becomes "action A action B "
{ n DecisionNode d && n MergeNode m && n OpaqueAction A A && n OpaqueAction B B && e i d && e d A 'x &gt; 1' && e d B else && e A m && e B m && e m z; } |
    becomes "if x > 1 { action A } else { action B } "
{ n MergeNode m && n DecisionNode d && n OpaqueAction A A && e i m && e m d && e d A 'x = 1' && e d z else && e A m; } |
    becomes "while x == 1 { action A } "
{ n OpaqueAction A A && n DecisionNode d && e i A && e A d && e d A 'go on' && e d z; } |
    becomes "code { again_6 = 1; } while again_6 == 1 { action A if go_on { } else { code { again_6 = 0; } } } "
{ n ForkNode f && n JoinNode j && n OpaqueAction A A && n OpaqueAction B B && e i f && e f A && e f B && e A j && e B j && e j z; } |
    becomes "fork Fork1 { branch { action A } branch { action B } } "
{ n OpaqueAction A 'Read the file' && n OpaqueAction B 2nd && e i A && e A B; } | becomes "action Read_the_file action _2nd "
# Implicit merge and decision; both ways end
{ n OpaqueAction A A && n OpaqueAction B B && n OpaqueAction C C && e i A && e A B 'x' && e A C else && e B z && e C z; } |
    becomes "action A if x { action B } else { action C } "
{ n DecisionNode d && n MergeNode m && n OpaqueAction A A && e i d && e d A && e d m && e A m && e m z; } |
    becomes "if choice_5 == 0 { action A } elif choice_5 == 1 { } "

# --- Refused, and nothing written
refused() { # MESSAGE <parts
    uml >m.uml
    run 3 activity import m.uml -o none
    holds err "$1"
    [ ! -e none ] || fail "something was written"
}
{ n DecisionNode d && n OpaqueAction A A && n OpaqueAction B B && n MergeNode m && n MergeNode o && e i d && e d m x && e d o else && e m A && e A o && e o B && e B m; } |
    refused "m.uml:5: found a flow of activity 'Work' that is no sequence, branch, loop or fork with one entry and one exit:"
{ n OpaqueAction A A && e i A && n JoyNode J; } | refused "m.uml:7: found a node of type 'JoyNode', expected a node of an activity"
{ n OpaqueAction A A && e i B; } | refused "m.uml:6: found an edge to 'B', expected a node of activity 'Work'"
{ n InitialNode k && e i z; } | refused "found a second initial node in activity 'Work'"
{ n OpaqueAction A A && n OpaqueAction B B && e i z && e A B && e B A; } | refused "m.uml:5: found node 'A', expected a path to it from the initial node of activity 'Work'"
printf '<a>\n<b></a>\n' >m.uml && run 3 activity import m.uml -o none && holds err "found invalid XML"
printf '<a/>\n' >m.uml && run 3 activity import m.uml -o none && holds err "m.uml:1: found <a> without an activity"
printf '<!DOCTYPE a [<!ENTITY x "y">]>\n<a>&x;</a>\n' >m.uml && run 3 activity import m.uml -o none
run 3 activity import nothing.uml -o none
run 2 activity import m.uml

# --- Both ways, and what the paper's sample lasts
for model in "$root"/examples/activity/*.act "$root/tests/activity/everything.act"; do
    run 0 activity print "$model" --as xmi -o own.xmi
    xmllint --noout own.xmi || fail "well-formed"
    rm -rf back
    run 0 activity import own.xmi -o back
    activity print "$model" >wanted
    activity print back/*.act | cmp - wanted || fail "$model by way of XMI"
done
run 0 activity print "$root/examples/activity/sample.act" --as xmi -o sample.xmi
run 0 activity import sample.xmi -o back
run 0 activity run back/sample.act --config N8P32
holds out "194.184431847 s"
run 3 activity import sample.xmi -o back
holds err "back/sample.act: found a file, expected none: -f replaces it"
finish
