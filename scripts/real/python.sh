#!/usr/bin/env bash
# python.sh: Python 3.11 or newer with PyYAML, a third opinion on what a text holds.
set -euo pipefail
fail() { echo "python: $1" >&2; exit 1; }
works() { python3 -c 'import tomllib, yaml, configparser' 2> /dev/null; }
if ! works && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-yaml; } > /dev/null 2>&1 || true
fi
works || fail "python3 (3.11 or newer) with PyYAML is not installed; install python3 and python3-yaml with your package manager"
