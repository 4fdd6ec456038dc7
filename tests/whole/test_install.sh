#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An installed tree: complete, readable by others, usable from any directory, also where its path
# has a blank in it.
. "$(dirname "$0")/../lib/lib.sh"
to="$dir/a tree/usr"
tree=$O
installing()
{
    (
        umask 077
        unset MAKEFLAGS MAKELEVEL MFLAGS
        make -s -C "$root" O="$tree" BUILD="$BUILD" CC="$CC" CXX="$CXX" DESTDIR="$dir/a tree" \
            PREFIX=/usr "$1"
    ) >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
}
installing install
[ -z "$(find "$to" -type d ! -perm 755)" ] || fail "a directory that others cannot read"
[ -z "$(find "$to" -type f ! -perm -444)" ] || fail "a file that others cannot read"

bin="$to/bin"
unset O LD_LIBRARY_PATH
export PATH="$bin:/usr/bin:/bin"
case $(ldd "$bin/ccafe" | grep libcca.so) in
*"$to/bin/../lib/libcca.so"*) ;;
*) fail "ccafe is not linked with the library beside it: $(ldd "$bin/ccafe")" ;;
esac
scripts="$to/share/mastermind/scripts"
ccafe check "$scripts/shock.rc" >out 2>&1 || { fail "check of the installed script"; cat out; }
# The command that a class states for a quality.
command=$(ccafe inspect HLLCFlux | sed -n 's/^quality *contact_cells .*; \$SCRIPTS/"$scripts"/p')
expect 0 'HLLCFlux contact_cells 0' eval "$command"
mkdir there
"$scripts/demo.sh" there >out 2>err
[ $? = 2 ] && grep -q "a new directory is needed, not 'there'" err || { fail "demo.sh"; cat err; }
eval "cc -shared $(ccafe cflags) -x c /dev/null -o empty.so" 2>err || { fail "cflags"; cat err; }
eval "cc -fsyntax-only $(ccafe cflags) -include framework/cca.h -x c /dev/null" 2>err ||
    { fail "cflags do not find the headers"; cat err; }
proxygen -o . "$to/include/mastermind/ports/flux_port.h" 2>err || { fail "proxygen"; cat err; }
eval "cc -fsyntax-only -fexceptions $(ccafe cflags) flux_port_proxy.c" 2>err ||
    { fail "the proxy does not compile"; cat err; }

# The links of the pages lead to files that are installed, and to headings that they have.
python3 - "$to/share/doc/mastermind" <<'END' || fail "links"
import glob, os, re, sys

os.chdir(sys.argv[1])
pages = ["README.md"] + glob.glob("docs/**/*.md", recursive=True)
texts = {page: re.sub("```.*?```", "", open(page).read(), flags=re.S) for page in pages}
headings = {page: {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
                   for title in re.findall("^#+ (.*)$", text, re.M)} for page, text in texts.items()}
assert len(pages) > 10 and all(headings.values())
broken = []
for page, text in texts.items():
    for link in re.findall(r"\]\(([^):]+)\)", text):
        file, _, heading = link.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
        if not os.path.exists(file) or heading and heading not in headings[file]:
            broken.append(f"{page} points at {link}, which is not there")
sys.exit("\n".join(broken) or None)
END

# The examples, copied, compile by the commands of their page.
[ "$(ls "$bin" | tr '\n' ' ')" = "activity ccafe mastermind proxygen " ] || fail "bin has $(ls "$bin")"
cp -r "$to/share/mastermind/examples" examples && cd examples || exit 1
run 0 activity run activity/sample.act --config N1P4,N8P32
holds out "194.184431847 s"
while read -r prompt words; do
    case $words in
    *mpicc*) command -v mpicc >"$dir/none" || continue ;;
    *gfortran* | objcopy*) command -v gfortran >"$dir/none" || continue ;;
    esac
    # The tree has a blank in its path.
    eval "${words//'$(ccafe cflags)'/$(ccafe cflags)}" >"$dir/said" 2>&1 || fail "$words: $(cat "$dir/said")"
done < <(grep '^\$ ' README.md)
cd "$dir" || exit 1

# Man pages and completions are those of the programs.
for program in activity ccafe mastermind proxygen; do
    "$program" help --man | diff - "$to/share/man/man1/$program.1" || fail "$program.1"
    "$program" help --completion | diff - "$to/share/bash-completion/completions/$program" || fail "completion of $program"
    grep -qx "## $program" "$to/share/doc/mastermind/docs/reference/verbs.md" || fail "no $program in verbs.md"
done

# Anybody may use it, without a home, where letters and commas are others.
chmod 755 "$dir"
mkdir -m 777 open
cd open || exit 1
anybody=()
[ "$(id -u)" = 0 ] && anybody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${anybody[@]}" env -u HOME LC_ALL=tr_TR.UTF-8 ccafe --measure --experiment run.mm -D FLUX=EFMFlux -D NX=24 -D NY=12 \
    -D PATCH=12 -D T_END=.02 -D PICTURE=run.png "$scripts/shock-demo.rc" >out 2>err || { fail "anybody's run"; cat out err; }
"${anybody[@]}" env -u HOME LC_ALL=tr_TR.UTF-8 mastermind report run.mm >out 2>err || { fail "anybody's report"; cat err; }
grep -q ' driver\.go\.go$' out || { fail "anybody's report says"; cat out; }
cd "$dir" || exit 1

# What is taken away again is what was installed.
cp empty.so "$to/lib/mastermind/Own.so"
installing uninstall
left=$(find "$dir/a tree" -type f)
[ "$left" = "$to/lib/mastermind/Own.so" ] || fail "left behind or taken along: $left"
[ ! -e "$to/include/mastermind" ] && [ ! -e "$to/share/doc/mastermind" ] || fail "empty folders are left"

finish
