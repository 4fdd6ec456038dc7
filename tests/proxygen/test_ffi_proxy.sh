#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# FfiProxy: for every port it tells the monitor and the caller what the generated proxy tells;
# which documents it is made from, and what is said of those that it cannot serve.
. "$(dirname "$0")/../lib/lib.sh"
compile_quickly
cd "$root" || exit 1
data=tests/data/proxygen
proxygen=$O/bin/proxygen


case $BUILD in
asan) sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined" ;;
tsan) sanitize="-fsanitize=thread" ;;
*) sanitize= ;;
esac
flags="-Wall -Wextra -Wpedantic -Werror -O0 -fPIC -fvisibility=hidden -fexceptions -ffp-contract=off $sanitize -I. -I$data -Itests/data/ffi -pthread"
link="-L$O/lib -lcca -Wl,-rpath,$O/lib"
described="$O/obj/proxies/ffi/types.o $O/obj/proxies/ffi/pool.o $O/obj/proxies/ffi/description.o $O/lib/libpg_perf.a"
compile() { # OUT SOURCE...
    local out=$1
    shift
    $CC -std=gnu11 -D_GNU_SOURCE $flags -o "$out" "$@" $link || fail "$out does not compile"
}
mkdir "$dir/lib"
compile "$dir/lib/fake_monitor.so" -shared $data/fake_monitor.c
compile "$dir/lib/any_target.so" -shared tests/data/ffi/any_target.c $described -lffi -ljansson -lm
compile "$dir/calls" tests/data/ffi/calls.c $described -lffi -ljansson -lm
ln -s "$O/lib/mastermind/FfiProxy.so" "$dir/lib"

# --- The same calls through both, for every port ---------------------------------------------
rounds=${SOAK:+2000}
ports=0
for header in ports/*_port.h $data/*_port.h; do
    name=$(basename "$header" .h)
    grep -q '_TYPE "cca[.]' "$header" && continue # the framework's own are never fronted
    case $name in cca_port | odd_port) continue ;; esac # odd: what libffi cannot pass
    sidecar=
    [ $name = deep_port ] && sidecar="--sidecar $data/deep_port.perf"
    # shellcheck disable=SC2086
    "$proxygen" -I . -I $data $sidecar -o "$dir/code" "$header" &&
        "$proxygen" -I . -I $data $sidecar --describe -o "$dir/lib" "$header" || fail "$name"
    compile "$dir/lib/${name}_proxy.so" -shared "$dir/code/${name}_proxy.c"
    document=$(grep -l "\"port\": \"$name\"" "$dir"/lib/*.describe.json)
    for class in "${name}_proxy" FfiProxy; do
        "$dir/calls" "$dir/lib" "$document" "$class" "${rounds:-20}" >"$dir/$class.log" 2>"$dir/err" ||
            fail "$name through $class: $(tail -n 3 "$dir/$class.log" "$dir/err")"
    done
    # What a getter is to write to lies in the proxy, each time elsewhere.
    [ $name = deep_port ] && sed -i '/^size got/s/ &[0-9a-f]*//g' "$dir/${name}_proxy.log" "$dir/FfiProxy.log"
    cmp "$dir/${name}_proxy.log" "$dir/FfiProxy.log" || fail "$name: another answer through libffi"
    grep -h 'called in another state' "$dir"/*.log && fail "$name: errno or the floating-point environment"
    # What was given arrived, what was answered came back. Other methods are called to get numbers.
    awk '$2 == "given" { given = $0; sub(/ given/, " got", given); called = $1 }
         $2 == "got" && $1 == called { got = $0; sub(/ gives.*/, "", got); answer = $0; sub(/.* gives/, " gives", answer)
                       if (got != given && got !~ /^size/) { print got; exit 1 } }
         $2 == "gives" { if ($1 answer != $0) { print; exit 1 } calls++ }
         END { exit !calls }' "$dir/FfiProxy.log" || fail "$name: a value changed on its way"
    ports=$((ports + 1))
    rm "$dir/lib/${name}_proxy.so"
done
[ $ports -ge 10 ] || fail "only $ports ports were tried"
grep -q 'end much s=absent' "$dir/FfiProxy.log" && grep -q 'end much s=[-0-9]' "$dir/FfiProxy.log" ||
    fail "the last port tried did not have what was looked for"

# --- The odd port, a method at a time: the same rows, or refused with the reason ----------------
# Described as JSON and read again, each signature is passed as the generated proxy passes it.
cat >"$dir/refused" <<'END'
wide a type of the compiler's own
join a union
bits a struct with bit-fields
END
python3 - $data/odd_port.h "$dir" <<'END' >"$dir/methods" || fail "odd_port.h in parts"
import re, sys
text = open(sys.argv[1]).read()
head, body = text.split("    struct cca_port base;\n")
body, tail = body.rsplit("};", 1)
body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
body = body.replace("nonnull(2), ", "")  # pointers are NULL as often as not
for method in re.split(r";\s*", body):
    if method.strip():
        name = re.search(r"\(\*(?:\(\*)?(\w+)\)\(", method).group(1)
        open(f"{sys.argv[2]}/odd_{name}.h", "w").write(f"{head}    struct cca_port base;\n\n    {method.strip()};\n}};{tail}")
        print(name)
END
odd=0
while read -r name; do
    mkdir -p "$dir/odd"
    rm -f "$dir"/odd/* "$dir/lib/odd_port_proxy.so" "$dir"/lib/test.OddPort-1.describe.json
    cp "$dir/odd_$name.h" "$dir/odd/odd_port.h"
    for step in "-o $dir/odd" "--describe -o $dir/lib"; do
        # shellcheck disable=SC2086
        "$proxygen" -I . -I "$dir/odd" $step "$dir/odd/odd_port.h" 2>"$dir/err" || fail "odd $name: $(cat "$dir/err")"
    done
    document=$dir/lib/test.OddPort-1.describe.json
    if why=$(grep "^$name " "$dir/refused"); then
        why=${why#* }
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$document" || fail "odd $name: no JSON"
        "$dir/calls" "$dir/lib" "$document" FfiProxy 1 >"$dir/out" 2>&1 && fail "odd $name is served"
        grep -q "libffi cannot serve method '$name': .* $why" "$dir/out" || fail "odd $name: $(cat "$dir/out")"
        continue
    fi
    $CC -std=gnu11 -D_GNU_SOURCE ${flags/-Wpedantic/} -I"$dir/odd" -shared -o "$dir/lib/odd_port_proxy.so" "$dir/odd/odd_port_proxy.c" $link ||
        fail "odd $name does not compile"
    for class in odd_port_proxy FfiProxy; do
        "$dir/calls" "$dir/lib" "$document" $class "${rounds:-20}" >"$dir/$class.log" 2>"$dir/err" ||
            fail "odd $name through $class: $(tail -n 3 "$dir/$class.log" "$dir/err")"
    done
    cmp "$dir/odd_port_proxy.log" "$dir/FfiProxy.log" || fail "odd $name: another answer through libffi"
    grep -q "^begin $name\|;begin $name" "$dir/FfiProxy.log" || fail "odd $name: no row: $(head -n 3 "$dir/FfiProxy.log")"
    odd=$((odd + 1))
done <"$dir/methods"
[ $odd = 7 ] || fail "$odd of the odd methods were compared"
rm -f "$dir/lib/odd_port_proxy.so" "$dir"/lib/test.OddPort-1.describe.json

# --- Calls of compiled code, exceptions, cancelled threads --------------------------------------
$CXX -std=c++17 $flags -shared -o "$dir/lib/trial.so" $data/trial.cc $link || fail "target"
$CXX -std=c++17 $flags -o "$dir/driver" $data/driver.cc $link || fail "driver"
"$dir/driver" "$dir/lib" inserted >"$dir/out" 2>&1 && grep -q 'all done' "$dir/out" || fail "driver: $(cat "$dir/out")"

# --- Without a compiler: no generated proxy anywhere, documents beside the components ------------
mkdir -p "$dir/bare/bin" "$dir/bare/lib/mastermind" "$dir/classes" "$dir/documents"
cp "$O/bin/ccafe" "$dir/bare/bin" && cp "$O/lib/libcca.so" "$dir/bare/lib" || fail "no ccafe"
for class in FfiProxy Mastermind TauMeasurement; do
    cp "$O/lib/mastermind/$class.so" "$dir/bare/lib/mastermind"
done
cp "$O/tests/components/me_caller.so" "$O/tests/components/me_worker.so" "$dir/classes"
printf '%s\n' 'instantiate MeasuredCaller caller' 'instantiate MeasuredWorker a' \
    'instantiate MeasuredWorker b' 'connect caller flux a flux' 'connect a next b flux' \
    'parameter caller config calls 60' 'parameter caller config depth 2' 'go caller go' >"$dir/run.rc"
measured() { # EXPERIMENT BIN OPTIONS...: rows in $dir/EXPERIMENT.rows, words in $dir/err
    local name=$1 bin=$2 code
    shift 2
    (cd "$dir" && "$bin/ccafe" --path classes "$@" --measure --experiment "$name" run.rc >out 2>err)
    code=$?
    [ $code = 0 ] || { fail "$name: exit $code: $(cat "$dir/err")"; return; }
    "$O/bin/mastermind" records "$dir/$name" --csv >"$dir/$name.csv" || fail "records of $name"
    # What does not change from run to run: all but the times.
    python3 - "$dir/$name.csv" >"$dir/$name.rows" <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(*[k + "=" + v for k, v in row.items() if not k.endswith("_ns")])
PY
}
measured generated "$O/bin"
for port in go flux; do
    "$proxygen" -I . --describe -o "$dir/documents" ports/${port}_port.h || fail "$port"
done
measured ffi "$dir/bare/bin" --path documents
cmp "$dir/generated.rows" "$dir/ffi.rows" || fail "other rows than through generated proxies"
[ "$(wc -l <"$dir/ffi.rows")" = 121 ] || fail "$(wc -l <"$dir/ffi.rows") rows"

# --- Documents that do not serve ------------------------------------------------------------------
# told CODE WORDS OPTIONS...: how ccafe ends, and a line that it says
told() {
    local want=$1 words=$2 code
    shift 2
    (cd "$dir" && rm -rf told && bare/bin/ccafe "$@" >out 2>err)
    code=$?
    [ $code = "$want" ] || fail "ccafe $*: exit $code, expected $want: $(cat "$dir/err")"
    grep -qF -- "$words" "$dir/err" || fail "ccafe $*: said '$(cat "$dir/err")', expected '$words'"
    [ "$(grep -c . "$dir/err")" -le 2 ] || fail "ccafe $*: says too much: $(cat "$dir/err")"
}
measure="--path classes --path documents --measure --experiment told run.rc"
told 0 'run.rc: not measured, there is no proxy for gov.cca.ports.GoPort/1, shock.FluxPort/1' \
    --path classes --measure --experiment told run.rc
document=$dir/documents/shock.FluxPort-1.describe.json
changed() { # PYTHON: the document with something else in `d`
    python3 - "$document" "$1" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
method = d["methods"][0]
exec(sys.argv[2])
json.dump(d, open(sys.argv[1], "w"), indent=1)
PY
}
kept=$(cat "$document")
broken() { # PYTHON WORDS
    changed "$1"
    told 0 "run.rc: not measured: shock.FluxPort/1: " $measure
    grep -qF -- "$2" "$dir/err" || fail "said '$(cat "$dir/err")', expected '$2'"
    printf '%s\n' "$kept" >"$document"
}
broken 'd["type"] = "shock.FluxPort/2"' 'describes shock.FluxPort/2, expected shock.FluxPort/1'
broken 'd["size"] = 32' "describes a port of 32 bytes, that of 'a' has 24"
broken 'method["offset"] = 8' "method 'compute' at byte 8, expected 16"
broken 'd["methods"] = []' 'methods up to byte 16 of 24'
broken 'method["args"][4]["layout"] = {"other": "a union"}' "method 'compute': argument left is: a union"
broken 'method["args"][4]["layout"] = "void"' "argument left is: void"
broken 'method["args"][4]["layout"] = {"struct": [{"offset": 1, "layout": "int32"}], "size": 5, "align": 1}' \
    'argument left is: a struct with its own packing or alignment'
broken 'method["args"][4]["layout"] = {"struct": [], "size": 0, "align": 1}' 'argument left is: an empty struct'
broken 'method["args"][4]["layout"] = {"struct": [{"offset": 0, "layout": {"array": {"array": "int8", "count": 5000}, "count": 5000}}], "size": 25000000, "align": 1}' \
    'argument left is: a struct of too many elements'
broken 'method["returns"] = {"type": "struct x", "value": {"class": "other"}, "layout": {"struct": [{"offset": 0, "layout": "long double"}], "size": 16, "align": 16}}' \
    'what it returns is: a struct of one long double'
# The struct's first half is the sixth integer: libffi before 3.4.7 loses the first double then.
pkg-config --atleast-version=3.4.7 libffi ||
    broken 'method["args"][4]["layout"] = "double"
method["args"][5]["layout"] = {"struct": [{"offset": 0, "layout": "int64"}, {"offset": 8, "layout": "double"}], "size": 16, "align": 8}' \
        'argument left is: passed with other bytes by this version of libffi'
broken 'method["args"][4]["layout"] = {"array": "int8", "count": 3}' 'argument left is: an array'
broken 'method["args"][4]["layout"] = {"array": "int8", "count": -3}' 'expected "count" of an array'
broken 'x = "int8"
for i in range(40): x = {"struct": [{"offset": 0, "layout": x}], "size": 1, "align": 1}
method["args"][4]["layout"] = x' 'too many parts in one value'
broken 'method["values"][0]["expression"] = "axes"' "'axes' is no argument of 'compute'; did you mean 'axis'?"
broken 'del d["schema"]' "schema is absent, expected 'mastermind/describe/1'"
printf '{"schema": ' >"$document"
told 0 'shock.FluxPort-1.describe.json:1: error:' $measure
rm "$document" && mkdir "$document"
told 0 'shock.FluxPort-1.describe.json: error: cannot read it' $measure
rmdir "$document"
told 0 'run.rc: not measured, there is no proxy for shock.FluxPort/1' $measure

# By name, before and while it runs.
printf '%s\n' 'instantiate MeasuredWorker a' 'insert a flux FfiProxy' >"$dir/insert.rc"
for how in check run; do
    told 3 "insert.rc:2: class 'FfiProxy' cannot front 'flux' of 'a': no file *.describe.json on the path describes shock.FluxPort/1" \
        $how --path classes --path documents insert.rc
done
printf '%s\n' "$kept" >"$document"
for how in check run; do
    (cd "$dir" && bare/bin/ccafe $how --path classes --path documents insert.rc >out 2>err) || fail "$how: $(cat "$dir/err")"
done
printf 'instantiate FfiProxy p\n' >"$dir/hand.rc"
told 4 'FfiProxy is not wired by hand' hand.rc

finish
