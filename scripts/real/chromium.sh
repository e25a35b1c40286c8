#!/usr/bin/env bash
# A browser for the tests of the page: Debian's Chromium. Found on the PATH if it is there already.
set -euo pipefail
command -v chromium >/dev/null && exit 0
[ "$(id -u)" = 0 ] || { echo "chromium is not installed, and only root can install it" >&2; exit 1; }
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium >/dev/null 2>&1 || { echo "apt-get can't install chromium" >&2; exit 1; }
