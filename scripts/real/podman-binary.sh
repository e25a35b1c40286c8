#!/bin/bash
# podman-binary.sh: stet as one executable, for the machine of podman-boot.sh, which has no Node. Built from the sources as they are, every time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
mkdir -p "$cache"
node "$here/../build-binary.mjs" "linux-$(node -p process.arch)" "$cache/stet-binary.new" > "$cache/stet-binary.log" 2>&1 || {
  echo "podman-binary: could not be built, see $cache/stet-binary.log" >&2
  exit 1
}
mv "$cache/stet-binary.new" "$cache/stet-binary"
