#!/bin/bash
# ssh.sh: an OpenSSH server, unpacked into the cache and not installed: nothing starts by itself, and the machine stays as it is.
set -euo pipefail
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
fail() { echo "ssh: $1" >&2; exit 1; }
command -v ssh > /dev/null && command -v ssh-keygen > /dev/null || fail "the ssh client is not installed"
[ -x "$cache/ssh/usr/sbin/sshd" ] && exit 0
mkdir -p "$cache"
if [ -x /usr/sbin/sshd ]; then
  mkdir -p "$cache/ssh/usr/sbin"
  ln -sf /usr/sbin/sshd "$cache/ssh/usr/sbin/sshd"
  exit 0
fi
work=$(mktemp -d "$cache/ssh.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get download -qq -o APT::Sandbox::User=root openssh-server libwrap0 > "$cache/ssh.log" 2>&1) || fail "could not fetch openssh-server, see $cache/ssh.log"
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work"; done
rm -f "$work"/*.deb
mv "$work" "$cache/ssh"
