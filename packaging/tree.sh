#!/usr/bin/env bash
# The tree that every package holds, below DIR: program, manual pages, completions, documents and licences.
# usage: packaging/tree.sh PAW DIR    (PAW: the program, as cargo built it)
set -euo pipefail
paw=$1 tree=$2
root=$(cd "$(dirname "$0")/.." && pwd)
install -D -m 755 "$paw" "$tree/bin/paw"
"$tree/bin/paw" install --prefix "$tree" pages >/dev/null
gzip -9 -n -f "$tree"/share/man/man1/*.1
install -d "$tree/share/doc/paw"
install -m 644 "$root"/{README.md,CHANGELOG.md,FORMAT.md,METHOD.md,LICENSE-MIT,LICENSE-APACHE} "$root"/docs/*.md "$tree/share/doc/paw/"
"$tree/bin/paw" schema >"$tree/share/doc/paw/run.schema.json"
chmod -R u=rwX,go=rX "$tree"
