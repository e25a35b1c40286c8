#!/bin/bash
# podman.sh: a machine with systemd and podman in the cache, and an image for it that needs no registry. podman-boot.sh starts it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
"$here/trixie-root.sh"
[ -f "$cache/busybox.tar" ] && exit 0
work=$(mktemp -d "$cache/busybox.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/image/bin" "$work/image/tmp"
cp "$cache/trixie-root/usr/bin/busybox" "$work/image/bin/busybox"
for name in sh sleep cat echo false httpd ls; do ln -s busybox "$work/image/bin/$name"; done
tar -C "$work/image" -cf "$work/busybox.tar" .
mv "$work/busybox.tar" "$cache/busybox.tar"
