#!/bin/bash
# systemd-keys.sh [SUITE…]: the configuration items that systemd knows, as it lists them itself, of the releases in these Debian suites
# (bullseye 247, bookworm 252, trixie 257): one file each in the cache. The programs are unpacked, never installed (1 min once).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}/systemd-keys
mkdir -p "$cache"
libraries="libc6 libseccomp2 libcap2 libmount1 libblkid1 libselinux1 libaudit1 libpam0g libcrypt1 libacl1 libkmod2 libpcre2-8-0 libcap-ng0 libapparmor1"
declare -A more=(
  [bullseye]="libssl1.1 libip4tc2 liblz4-1 libcryptsetup12 libgcrypt20 libgpg-error0 libzstd1 liblzma5 libidn2-0 libunistring2"
  [bookworm]="libsystemd-shared libssl3 libip4tc2 liblz4-1 libgcrypt20 libgpg-error0 libzstd1 liblzma5 libcryptsetup12"
  [trixie]="libsystemd-shared libssl3t64"
  [sid]="libsystemd-shared libssl3t64"
)
[ $# -gt 0 ] || set -- bullseye bookworm trixie
for suite in "$@"; do
  [ -s "$cache/$suite.txt" ] && continue
  work=$(mktemp -d "$cache/$suite.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  # shellcheck disable=SC2086
  SUITE=$suite "$here/trixie-debs.sh" "$work" systemd $libraries ${more[$suite]} > "$cache/$suite.log" 2>&1 ||
    { echo "systemd-keys: could not fetch systemd of $suite, see $cache/$suite.log" >&2; exit 1; }
  [ -d "$work/usr/lib/systemd" ] && [ -x "$work/usr/lib/systemd/systemd" ] && base=$work/usr || base=$work
  loader=$(find "$work" -name 'ld-linux-*.so.*' | head -n 1)
  folders=$(find "$work" -type d \( -path '*/lib/*-linux-gnu' -o -path '*/lib/*-linux-gnu/systemd' -o -path '*/lib/systemd' \) | paste -sd:)
  "$loader" --library-path "$folders" "$base/lib/systemd/systemd" --dump-configuration-items > "$work/keys" 2>> "$cache/$suite.log" ||
    { echo "systemd-keys: systemd of $suite does not run, see $cache/$suite.log" >&2; exit 1; }
  mv "$work/keys" "$cache/$suite.txt"
  rm -rf "$work"
done
