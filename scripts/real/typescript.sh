#!/usr/bin/env bash
# typescript.sh: the TypeScript compilers that the library's types are checked with, from the npm registry into the cache.
set -euo pipefail
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}/typescript
for version in 5.4.5 5.6.3 5.8.3 5.9.3 6.0.3; do
  [ -f "$cache/$version/lib/tsc.js" ] && continue
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.get.XXXXXX")
  if ! (cd "$work" && npm pack --silent "typescript@$version" >/dev/null && tar -xzf typescript-*.tgz); then
    rm -rf "$work"
    echo "TypeScript $version can't be had from the npm registry" >&2
    exit 1
  fi
  mv "$work/package" "$cache/$version"
  rm -rf "$work"
done
