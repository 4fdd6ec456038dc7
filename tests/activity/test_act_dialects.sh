#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The sample model as several UML tools write it lasts what the paper's sample does.
. "$(dirname "$0")/../lib/lib.sh"
files=$root/tests/activity/xmi

for name in papyrus.uml magicdraw.xml ea.xml eclipse.uml; do
    rm -rf models
    xmllint --noout "$files/$name" || fail "$name: well-formed"
    run 0 activity import "$files/$name" -o models
    run 0 activity run models/*.act --config N1P4,N8P32
    equal "$name" 2 "$(grep -c '194\.184431847 s' out)"
    for id in 351571381 1177289997 1239919776 1863688672 1031993818; do
        holds models/*.act "id $id "
    done
done
# Without declarations: what code assigns to is a global
sed '/<ownedAttribute xmi:type="uml:Property"/,/<\/ownedAttribute>/d' "$files/ea.xml" >bare.xml
run 0 activity import bare.xml -o bare
holds bare/EA_Model.act "global long GV = 0"
holds bare/EA_Model.act "global double P = 0"
run 0 activity run bare/EA_Model.act
holds out "194.184431847 s"

# Diagrams in the model
run 0 activity import "$files/ea.xml" -o ea
equal "Enterprise Architect" "351571381 105 40 90 60" "$(head -1 ea/EA_Model.layout)"

# The layout goes out as UMLDI and comes back
run 0 activity print ea/EA_Model.act --as xmi -o laid.xmi
xmllint --noout laid.xmi || fail "a diagram: well-formed"
run 0 activity import laid.xmi -o laid
cmp ea/EA_Model.layout laid/EA_Model.layout || fail "the layout by way of XMI"
activity print ea/EA_Model.act | cmp - laid/EA_Model.act || fail "the model by way of XMI"
# What XML cannot have
printf '// a \001 \377 \303\244 <&>\nmodel m\nactivity Main {\n}\n' >odd.act
run 0 activity print odd.act --as xmi -o odd.xmi
xmllint --noout odd.xmi || fail "odd bytes: well-formed"
run 0 activity import odd.xmi -o odd
equal "odd bytes" "// a ? ? $(printf '\303\244') <&>" "$(head -1 odd/m.act)"

# --- A loop with a fork in it, in a swimlane: 7 + 10*(max(3, 2) + 0.5) + 1
run 0 activity import "$files/staruml.xml" -o staruml
run 0 activity run staruml/solver.act
equal "a loop with a fork" "solver N1P1 43 s" "$(head -1 out | tr -s ' ' | cut -d' ' -f1-4)"

# --- Forks end at joins, decisions at merges
sed 's/uml:JoinNode/uml:MergeNode/' "$files/staruml.xml" >mixed.xml
run 3 activity import mixed.xml -o none
holds err "mixed.xml:10: found a flow of activity 'Solver'"
sed 's/uml:ForkNode/uml:DecisionNode/; s/target="AAAAX"/& guard="step > 3"/' "$files/staruml.xml" >mixed.xml
run 3 activity import mixed.xml -o none
holds err "mixed.xml:10: found a flow of activity 'Solver'"

# --- Structured nodes: setup once, then 3 steps of 1, branches 15 + 100 + 15; a loop that is tested last, twice
run 0 activity import "$files/structured.uml" -o structured
run 0 activity run structured/structured.act
equal "structured nodes" "structured N1P1 1133.5 s" "$(head -1 out | tr -s ' ' | cut -d' ' -f1-4)"

# --- A loop with two ways in
run 3 activity import "$files/irreducible.uml" -o none
holds err "irreducible.uml:6: found a flow of activity 'Jumps into a loop'"
holds err "'warm start?' (line 6), 'Predict' (line 7), 'Correct' (line 8), 'converged?' (line 9)"
equal "each is named once" 1 "$(grep -o "'Predict'" err | wc -l)"

# --- Two models in a file: both are written, or none
sed 's/name="Main" node/name="One" node/; s/behavior="_ActSA"//' "$files/papyrus.uml" >two.uml
run 0 activity import two.uml -o a/b
equal "two models" "One.act SA.act" "$(cd a/b && echo *)"
mkdir -p half/SA.act.new
run 5 activity import two.uml -o half
equal "none of two" "SA.act.new" "$(ls half)"

# --- Random flows: the model does what the flow does; refused is what is irreducible
run 0 "$files/flows.py" 0 60
holds out "structured same"
holds out "any same"

# --- One mistake each: the file and a line, what is found and what is expected, and no file
broken() { # SED LINE MESSAGE
    sed "$1" "$files/papyrus.uml" >broken.uml
    cmp -s broken.uml "$files/papyrus.uml" && fail "no mistake: $1"
    run 3 activity import broken.uml -o none
    holds err "broken.uml:$2: found $3"
    [ "$(wc -l <err)" = 1 ] || fail "one line for: $1"
    [ ! -e none ] || fail "something was written for: $1"
}
broken 's/target="_A4"/target="_A5"/' 55 "an edge to '_A5', expected a node of activity 'Main'"
broken 's/ source="_A4"//' 56 "an edge without source, expected both ends"
broken 's/uml:ForkNode/&/; s/uml:MergeNode/uml:MergeNod/' 65 "a node of type 'MergeNod', expected a node of an activity"
broken 's/xmi:id="_A2" name/xmi:id="_A1" name/' 64 "the id '_A1' again (first in line 58), expected each once"
broken 's/<body>GV == 1/<body>GV == (1/' 41 "the guard 'GV == (1', expected a condition"
broken 's/cost="FA1()"/cost="FA1("/' 85 "cost 'FA1(', expected an expression"
broken 's/cost="212"/cost="212 time 3"/' 86 "cost '212 time 3', expected an expression"
broken 's/cost="212"/cost="1 } action B {"/' 86 "cost '1 } action B {', expected an expression"
broken 's/cost="FA1()"/cost="FA9()"/' 85 "the function FA9, expected one that was declared before"
broken 's/cost="FA4(P)"/time="soon"/' 87 "'soon', expected a number: seconds"
broken 's/id="1239919776"/id="12 cost 3"/' 87 "the id '12 cost 3', expected a whole number"
broken 's/121\/P/121\/Q/' 17 "Q, expected a variable that was declared before"
broken 's/121\/P/121\/(P/' 17 "'121/(P', expected an expression"
broken 's/base_Action="_A4"/base_Action="_A9"/' 87 "ActionPlus of '_A9', expected the id of an element"
broken 's/behavior="_ActSA"/behavior="other.uml#_SA"/' 63 "a reference to 'other.uml', expected a file beside this one or below"
broken 's/behavior="_ActSA"/behavior="..\/x\/other.uml#_SA"/' 63 "a reference to"
broken 's/behavior="_ActSA"/behavior="_Main"/' 63 "a call of Main within itself, expected no recursion"
broken 's/GV = 1; P = 3.14;/GV = 1; P == 3.14;/' 58 "'==', expected '='"
broken 's/GV = 1; P = 3.14;/GV = 1; } action B do { P = 3.14;/' 58 "'GV = 1; } action B do { P = 3.14;', expected assignments and ifs"
broken 's/GV = 1; P = 3.14;/FA1 = 1;/' 58 "'FA1', expected a variable that was declared before"
broken 's/LiteralInteger" xmi:id="_GV0" value="0"/LiteralString" xmi:id="_GV0" value="none at all"/' 8 "'none at all', expected an expression"
broken 's/<\/uml:Model>//' 91 "invalid XML"
broken 's/ xmi:id="_A4"//' 66 "a node without xmi:id, expected one"
broken '1a<!DOCTYPE x [<!ENTITY e "e">]>' 3 "declarations of entities, expected none"
broken 's/uml:Activity"/uml:Actvity"/' 2 "<XMI> without an activity"
finish
