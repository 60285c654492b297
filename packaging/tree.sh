#!/usr/bin/env bash
# The tree that every package holds, below DIR: program, manual pages, completions, documents and licences.
# usage: packaging/tree.sh PAW DIR    (PAW: the program, as cargo built it)
set -euo pipefail
paw=$1 tree=$2
root=$(cd "$(dirname "$0")/.." && pwd)
install -D -m 755 "$paw" "$tree/bin/paw"
"$tree/bin/paw" install --prefix "$tree" pages >/dev/null
gzip -9 -n -f "$tree"/share/man/man1/*.1
# As in the sources, so that links between documents hold.
doc=$tree/share/doc/paw
install -d "$doc/docs" "$doc/examples/ttbar" "$doc/examples/kernels"
install -m 644 "$root"/{README,CHANGELOG,FORMAT,METHOD,ARCHITECTURE,CONTRIBUTING}.md "$root"/LICENSE-{MIT,APACHE} "$doc/"
install -m 644 "$root"/docs/*.{md,png} "$doc/docs/"
# In the sources these two name the files above for mdbook to include.
for name in FORMAT METHOD; do sed 's|](docs/|](|g' "$root/$name.md" >"$doc/docs/${name,,}.md"; done
install -m 644 "$root"/examples/ttbar/README.md "$doc/examples/ttbar/"
install -m 644 "$root"/examples/kernels/* "$doc/examples/kernels/"
"$tree/bin/paw" schema >"$doc/run.schema.json"
chmod -R u=rwX,go=rX "$tree"
