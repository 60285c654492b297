#!/usr/bin/env bash
# A tarball of paw that runs where it is unpacked: paw-VERSION-TARGET.tar.gz.
# usage: packaging/tarball.sh [PAW [DIR]]    (default: target/release/paw, target/packages)
# The same program gives the same bytes: names sorted, owner root, times of the last commit (SOURCE_DATE_EPOCH).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
paw=${1:-$here/../target/release/paw} out=${2:-$here/../target/packages}
version=$("$paw" --version | cut -d' ' -f2)
name="paw-$version-$(uname -m)-linux"
# A program of glibc's names its loader at its beginning; a static one has none.
if head -c 4096 "$paw" | grep -aq /ld-linux; then name+=-gnu; else name+=-musl; fi
stage=$(mktemp -d); trap 'rm -rf "$stage"' EXIT
"$here/tree.sh" "$paw" "$stage/$name"
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}
mkdir -p "$out"
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" --directory="$stage" "$name" | gzip -9 -n >"$out/$name.tar.gz"
echo "$out/$name.tar.gz"
