#!/bin/bash
# prometheus.sh: Debian's Prometheus and promtool, unpacked into the cache (10 s once). Nothing is installed or started.
set -euo pipefail
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
[ -x "$cache/prometheus/usr/bin/promtool" ] && exit 0
mkdir -p "$cache"
work=$(mktemp -d "$cache/prometheus.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
(cd "$work" && apt-get download -qq prometheus && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb) > "$cache/prometheus.log" 2>&1 ||
  { echo "prometheus: could not fetch Debian's package, see $cache/prometheus.log" >&2; exit 1; }
rm -rf "$cache/prometheus"
mv "$work" "$cache/prometheus"
