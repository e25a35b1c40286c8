#!/usr/bin/env bash
# powershell.sh: a grammar of PowerShell and what reads it, from the npm registry into the cache: to check our script.
set -euo pipefail
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}/powershell
get() {
  [ -d "$cache/$1" ] && return
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.get.XXXXXX")
  if ! (cd "$work" && npm pack --silent "$1@$2" > /dev/null 2>&1 && tar -xzf ./*.tgz); then
    rm -rf "$work"
    echo "powershell: npm could not fetch $1@$2" >&2
    exit 1
  fi
  mv "$work/package" "$cache/$1"
  rm -rf "$work"
}
get web-tree-sitter 0.27.1
get tree-sitter-powershell 0.26.4
