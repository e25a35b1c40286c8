#!/bin/bash
# systemd.sh: the machine's own systemd is asked what it makes of units. It starts nothing, so it need not be running; it has to be installed.
set -euo pipefail
fail() { echo "systemd: $1" >&2; exit 1; }
if ! [ -x /lib/systemd/systemd ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  apt-get install -y -qq --no-install-recommends systemd > /dev/null 2>&1 || true
fi
[ -x /lib/systemd/systemd ] || fail "not installed, and can't be"
command -v setpriv > /dev/null || fail "setpriv (util-linux) is missing"
