#!/bin/bash
# trixie-debs.sh OUT PACKAGE…: unpacks packages of Debian trixie (or of $SUITE, for $ARCHITECTURE) into OUT, with an apt of its own: the machine's package lists stay as they are.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt"/{etc/apt.conf.d,etc/preferences.d,state/lists/partial,cache/archives/partial,debs}
: > "$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $("$here/mirror.sh") ${SUITE:-trixie} main" > "$apt/etc/sources.list"
# Signatures are checked as always; how old the lists are is not: a mirror may lag behind.
cat > "$apt/apt.conf" <<CONF
Dir::Etc "$apt/etc";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Architecture "${ARCHITECTURE:-$(dpkg --print-architecture)}";
APT::Architectures "";
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false";
CONF
export APT_CONFIG="$apt/apt.conf"
apt-get update -qq
cd "$apt/debs"
apt-get download -qq "$@" > /dev/null
for package in *.deb; do dpkg-deb -x "$package" "$out"; done
