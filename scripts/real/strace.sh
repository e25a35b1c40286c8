#!/usr/bin/env bash
# strace.sh: strace, to end a program at any of its system calls.
set -euo pipefail
fail() { echo "strace: $1" >&2; exit 1; }
if ! command -v strace > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends strace; } > /dev/null 2>&1 || true
fi
command -v strace > /dev/null || fail "not installed; install it with your package manager"
strace -qq -o /dev/null true 2> /dev/null || fail "may not trace processes here"
