#!/bin/bash
# quadlet.sh: podman 5's unit generator, unpacked from Debian trixie into the cache (10 s once). It is a static enough program to run on bookworm.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
[ -x "$cache/quadlet/usr/libexec/podman/quadlet" ] && exit 0
mkdir -p "$cache"
work=$(mktemp -d "$cache/quadlet.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$here/trixie-debs.sh" "$work" podman > "$cache/quadlet.log" 2>&1 || { echo "quadlet: could not fetch podman's generator, see $cache/quadlet.log" >&2; exit 1; }
rm -rf "$cache/quadlet"
# Renamed when complete: a run that was interrupted leaves nothing that looks finished.
mv "$work" "$cache/quadlet"
