#!/usr/bin/env bash
# zsh.sh: the zsh shell, to complete a line with our script.
set -euo pipefail
fail() { echo "zsh: $1" >&2; exit 1; }
if ! command -v zsh > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends zsh; } > /dev/null 2>&1 || true
fi
command -v zsh > /dev/null || fail "not installed; install it with your package manager"
