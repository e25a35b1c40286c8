#!/usr/bin/env bash
# man.sh: man and groff, to show the pages of the manual.
set -euo pipefail
fail() { echo "man: $1" >&2; exit 1; }
if ! { command -v man && command -v groff; } > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends man-db groff; } > /dev/null 2>&1 || true
fi
{ command -v man && command -v groff; } > /dev/null || fail "not installed; install man-db and groff with your package manager"
