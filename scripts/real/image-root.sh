#!/bin/bash
# image-root.sh: what the base image of deploy/Dockerfile holds, without a registry: Debian bookworm's libraries, a shell and coreutils from its packages,
# and the Node that runs the tests where that image has it, in $STET_TEST_CACHE/image-root (20 s once). Only root can change into it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
fail() { echo "image-root: $1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "only root can change into a root file system"
for program in unshare chroot setpriv; do command -v "$program" > /dev/null || fail "$program is missing"; done
[ -x "$cache/image-root/usr/local/bin/node" ] && exit 0
mkdir -p "$cache"
work=$(mktemp -d "$cache/image-root.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
packages="base-files libc6 libgcc-s1 libstdc++6 dash coreutils libacl1 libattr1 libselinux1 libpcre2-8-0 libgmp10 libssl3 ca-certificates"
# shellcheck disable=SC2086 # several words on purpose
SUITE=bookworm "$here/trixie-debs.sh" "$work" $packages > "$cache/image-root.log" 2>&1 || fail "could not fetch Debian's packages, see $cache/image-root.log"
# As Debian's base-files does: one tree, also for programs that look in /lib and /bin.
for name in bin sbin lib lib64; do
  if [ -d "$work/$name" ] && [ ! -L "$work/$name" ]; then
    mkdir -p "$work/usr/$name" && cp -a "$work/$name/." "$work/usr/$name/" && rm -rf "${work:?}/$name"
  fi
  ln -sfn "usr/$name" "$work/$name"
done
mkdir -p "$work/usr/local/bin" "$work/tmp" "$work/proc" "$work/dev"
chmod 1777 "$work/tmp"
cp "$(node -p process.execPath)" "$work/usr/local/bin/node"
chroot "$work" /usr/local/bin/node --version >> "$cache/image-root.log" 2>&1 || fail "Node does not run in it, see $cache/image-root.log"
mv "$work" "$cache/image-root"
