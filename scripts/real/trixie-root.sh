#!/bin/bash
# trixie-root.sh: a root file system with systemd 257 and podman 5.4 in the cache (80 s once, 440 MB), to be booted by systemd-boot.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
root=$cache/trixie-root
[ -x "$root/usr/bin/podman" ] && exit 0
[ "$(id -u)" = 0 ] || { echo "trixie-root: only root can build a root file system" >&2; exit 1; }
mkdir -p "$cache"
log=$cache/trixie-root.log
fail() { echo "trixie-root: $1, see $log" >&2; exit 1; }
command -v debootstrap > /dev/null || apt-get install -y -qq --no-install-recommends debootstrap > "$log" 2>&1 || fail "debootstrap can't be installed"
work=$(mktemp -d "$cache/trixie-root.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
packages=systemd,systemd-sysv,dbus,podman,crun,conmon,netavark,aardvark-dns,passt,iproute2,nftables,procps,busybox-static,ca-certificates,catatonit,git,openssh-client
debootstrap --variant=minbase --include=$packages trixie "$work" "$("$here/mirror.sh")" > "$log" 2>&1 || fail "debootstrap failed"
mkdir -p "$work/etc/containers/containers.conf.d"
# No pids controller is delegated into the test's namespaces.
printf '[containers]\npids_limit = 0\n' > "$work/etc/containers/containers.conf.d/10-test.conf"
echo box > "$work/etc/hostname"
for unit in systemd-sysctl systemd-modules-load netavark-dhcp-proxy systemd-logind getty@tty1; do
  ln -sf /dev/null "$work/etc/systemd/system/$unit.service"
done
mv "$work" "$root"
