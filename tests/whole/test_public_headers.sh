#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Each public header of ports/, framework/ and proxies/ compiles alone, as C11 and as C++17, without a
# warning; all that they declare has C linkage: a program in C++ calls it and links. (What lies in
# proxies/ is for C with the extensions of GNU, as proxygen writes it. Two files there are parts of others.)
. "$(dirname "$0")/../lib/lib.sh"
cd "$root" || exit 1
warnings="-Wall -Wextra -Wpedantic -Werror"
sanitize=
case $BUILD in asan) sanitize=-fsanitize=address,undefined ;; tsan) sanitize=-fsanitize=thread ;; esac
headers="framework/cca.h framework/framework.h framework/cohort.h framework/repository.h framework/class_info.h $(ls ports/*.h)"
proxies=$(ls proxies/*.h | grep -v -e interpose_call.h -e header_end.h)

for header in $headers $proxies; do
    printf '#include "%s"\n' "$header" > "$dir/alone.c"
    cp "$dir/alone.c" "$dir/alone.cc"
    case $header in proxies/*) std="gnu11 -D_GNU_SOURCE" ;; *) std=c11 ;; esac
    $CC -std=$std $warnings -fsyntax-only -I. "$dir/alone.c" 2> "$dir/said" || fail "$header, C11: $(head -n 3 "$dir/said")"
    $CXX -std=c++17 $warnings -fsyntax-only -I. "$dir/alone.cc" 2> "$dir/said" || fail "$header, C++17: $(head -n 3 "$dir/said")"
done

# The functions that the headers declare, all of them, called from C++ by their C names. Comments go
# first: they name functions, too.
for header in $headers; do
    printf '#include "%s"\n' "$header"
done > "$dir/all.cc"
functions=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$dir/all.cc" | xargs gcc -fpreprocessed -dD -E -P 2> /dev/null |
    tr '\n' ' ' | grep -o 'CCA_API [^;(]*(' | sed -n 's/.*[ *]\(cca_[a-z_0-9]*\)($/\1/p' | sort -u)
count=$(echo "$functions" | wc -l)
[ "$count" -ge 60 ] || fail "only $count functions found in the headers"
{
    echo 'int main(int argc, char **) {'
    echo '    const void *all[] = {'
    printf '        reinterpret_cast<const void *>(&%s),\n' $functions
    echo '    };'
    echo '    return all[argc] == nullptr;'
    echo '}'
} >> "$dir/all.cc"
$CXX -std=c++17 $warnings $sanitize -I. -o "$dir/all" "$dir/all.cc" -L"$O/lib" -lcca -Wl,-rpath,"$O/lib" 2> "$dir/said" ||
    fail "C++ program: $(grep -m 3 'error\|undefined' "$dir/said")"
[ ! -x "$dir/all" ] || "$dir/all" || fail "the C++ program does not run"
finish "$(echo $headers $proxies | wc -w) headers, $count functions"
