#!/bin/bash
# gpg.sh: GnuPG, to sign commits with and to check them.
set -euo pipefail
if ! command -v gpg > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends gnupg; } > /dev/null 2>&1 || true
fi
command -v gpg > /dev/null || { echo "gpg: not installed; install gnupg with your package manager" >&2; exit 1; }
