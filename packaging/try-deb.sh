#!/usr/bin/env bash
# Installs a .deb of paw in a fresh Debian of nothing but essential packages, uses it there, and takes it away again. Needs root, mmdebstrap and a network.
# usage: packaging/try-deb.sh DEB [SUITE]    (default: bookworm)
set -euo pipefail
deb=$(realpath "$1") suite=${2:-bookworm}
work=$(mktemp -d); root=$work/root
# The root has /proc below it while something runs there.
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
mmdebstrap --quiet --variant=minbase --include=man-db,bash-completion "$suite" "$root"
mount -t proc proc "$root/proc"
inside() { printf '$ %s\n' "$*"; chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash -ec "$*"; }
listing() { chroot "$root" find / -xdev -not -path '/var/lib/dpkg/*' -not -path '/var/log/*' -not -path '/var/cache/*' -not -path '/proc*' | sort; }

listing >"$work/before"
cp "$deb" "$root/paw.deb"
inside 'dpkg -i paw.deb'
inside 'paw --version'
inside 'paw machine | head -5'
inside 'paw list | head -5'
inside 'cd /root && paw run dgemm --set n=64 --threads 1 --reps 6 --quiet --out run && test -s run/report.html'
inside 'cd /root && paw app -r 3 --quiet --out app -- /bin/true && paw show app | head -3'
inside 'zcat /usr/share/man/man1/paw-run.1.gz | head -3; MANPAGER=cat man paw | head -5'
inside 'source /usr/share/bash-completion/completions/paw; complete -p paw'
inside 'rm -r /root/run /root/app /paw.deb; dpkg -r paw; dpkg -P paw 2>/dev/null || true'
listing >"$work/after"
diff "$work/before" "$work/after" && echo "nothing is left"
