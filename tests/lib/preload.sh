# SPDX-License-Identifier: BSD-3-Clause
# preload.sh: `mastermind record` in builds with sanitizers; read by tests that run it, which have
# a folder $dir. The address sanitizer's library has to be in programs that are not made with it, so
# $dir/shim/mastermind puts it there; what these leave unfreed is theirs. A program with the thread
# sanitizer's library but without its calls would say nothing.
preloads=yes
case ${BUILD:-release} in
asan)
    runtime=$(${CC:-gcc} -print-file-name=libasan.so)
    if [ -e "$runtime" ]; then
        mkdir "$dir/shim"
        cat > "$dir/shim/mastermind" << END
#!/bin/sh
if [ "\${1-}" = record ]; then
    export LD_PRELOAD="$runtime\${LD_PRELOAD:+:\$LD_PRELOAD}"
    export ASAN_OPTIONS="\${ASAN_OPTIONS:+\$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0"
fi
exec "$O/bin/mastermind" "\$@"
END
        chmod +x "$dir/shim/mastermind"
        PATH=$dir/shim:$PATH
    else
        preloads=
    fi
    ;;
tsan) preloads= ;;
esac

# What follows is about runs with something preloaded.
needs_preload() {
    [ -n "$preloads" ] && return
    [ "${failures:-0}" = 0 ] || finish
    echo "this sanitizer cannot be preloaded"
    exit 77
}
