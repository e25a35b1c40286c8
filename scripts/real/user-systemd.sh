#!/bin/bash
# user-systemd.sh: what user-systemd-boot.sh needs to start a user's systemd, whatever process 1 is: systemd, root, and a cgroup of our own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "user-systemd: $1" >&2; exit 1; }
"$here/systemd.sh"
for program in systemctl systemd-analyze unshare setsid; do command -v "$program" > /dev/null || fail "$program is missing"; done
[ "$(id -u)" = 0 ] || fail "only root can make the namespaces it runs in"
cgroups=/sys/fs/cgroup/unified
[ -d "$cgroups" ] || cgroups=/sys/fs/cgroup
mkdir "$cgroups/stet-try-$$" 2> /dev/null || fail "no cgroup can be made in $cgroups"
rmdir "$cgroups/stet-try-$$"
unshare -m -C --propagation private mount -t cgroup2 cgroup2 /sys/fs/cgroup 2> /dev/null || fail "no cgroup tree can be mounted here"
