#!/usr/bin/env bash
# A .deb of paw, made with dpkg-deb alone: paw_VERSION_ARCHITECTURE.deb. `cargo deb` makes the same from crates/paw/Cargo.toml.
# usage: packaging/deb.sh [PAW [DIR]]    (default: target/release/paw, target/packages)
# It depends on the C library that the program was linked with, and on nothing else: paw opens BLAS, MPI and drivers at run time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
paw=${1:-$here/../target/release/paw} out=${2:-$here/../target/packages}
version=$("$paw" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
stage=$(mktemp -d); trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
"$here/tree.sh" "$paw" "$stage/usr"
mv "$stage/usr/share/zsh/site-functions" "$stage/usr/share/zsh/vendor-completions"
cat "$stage"/usr/share/doc/paw/LICENSE-{MIT,APACHE} >"$stage/usr/share/doc/paw/copyright"
# The newest version of glibc's symbols that the program asks for is the oldest glibc that it runs with.
libc=$(grep -aoE 'GLIBC_2\.[0-9]+' "$paw" | sort -uV | tail -1 | cut -d_ -f2 || true)
mkdir "$stage/DEBIAN"
{
  echo "Package: paw"
  echo "Version: $version"
  echo "Architecture: $architecture"
  echo "Maintainer: ${DEBEMAIL:-paw <paw@localhost>}"
  [ -z "$libc" ] || echo "Depends: libc6 (>= $libc), libgcc-s1"
  echo "Section: utils"
  echo "Priority: optional"
  echo "Installed-Size: $(du -sk "$stage/usr" | cut -f1)"
  echo "Description: Performance Assessment Workbench"
  echo " Measures BLAS, memory, messages, devices, programs and functions of one's own,"
  echo " and says how far to trust each number. Libraries are found and opened at run time."
} >"$stage/DEBIAN/control"
mkdir -p "$out"
dpkg-deb --root-owner-group --build "$stage" "$out/paw_${version}_$architecture.deb" >/dev/null
echo "$out/paw_${version}_$architecture.deb"
