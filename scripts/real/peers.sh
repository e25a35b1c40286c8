#!/bin/bash
# peers.sh: the tools that `npm run bench` compares stet with, unpacked from Debian's packages into $STET_TEST_CACHE/peers (once, some 100 MB kept):
# chezmoi from sid, kustomize and kubectl from trixie. They are single programs that run on any Debian; nothing is installed. git and jq are taken as the machine has them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
fail() { echo "peers: $1" >&2; exit 1; }
has_all() { for program in chezmoi kustomize kubectl; do [ -x "$cache/peers/$program" ] || return 1; done; }

has_all && exit 0
mkdir -p "$cache"
exec 9> "$cache/peers.lock"
flock 9
has_all && exit 0
work=$(mktemp -d "$cache/peers.XXXXXX")
trap 'rm -rf "$work"' EXIT
{ SUITE=sid "$here/trixie-debs.sh" "$work/sid" chezmoi && "$here/trixie-debs.sh" "$work/trixie" kustomize kubectl; } > "$cache/peers.log" 2>&1 ||
  fail "could not fetch chezmoi, kustomize and kubectl, see $cache/peers.log"
mkdir "$work/bin"
for program in chezmoi kustomize kubectl; do
  found=$(find "$work/sid/usr" "$work/trixie/usr" -name "$program" -type f -perm -u+x 2> /dev/null | head -n 1)
  [ -n "$found" ] || fail "Debian's packages hold no program called $program any more"
  "$found" --help > /dev/null 2>> "$cache/peers.log" || fail "$program does not run here, see $cache/peers.log"
  mv "$found" "$work/bin/$program"
done
# Renamed when complete: a run that was interrupted leaves nothing that looks finished.
rm -rf "$cache/peers"
mv "$work/bin" "$cache/peers"
