#!/bin/bash
# user-systemd-boot.sh DIR: a real `systemd --user` with its home in DIR/home and its sockets in DIR/run; its pid in DIR/pid, its cgroup in DIR/cgroup.
# Talk to it with HOME=DIR/home XDG_RUNTIME_DIR=DIR/run systemctl --user. What it mounts, it mounts in a namespace of its own.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
mkdir -p "$dir/home"
mkdir -m 700 "$dir/run"
cgroup=/sys/fs/cgroup/unified
[ -d "$cgroup" ] || cgroup=/sys/fs/cgroup
cgroup=$cgroup/stet-user-$$
mkdir "$cgroup"
echo "$cgroup" > "$dir/cgroup"
export dir cgroup
cat > "$dir/inside" <<'INSIDE'
set -e
mount -t cgroup2 cgroup2 /sys/fs/cgroup
# A user's systemd only starts where it believes that the machine was booted by one.
mkdir -p /run/systemd && mount -t tmpfs tmpfs /run/systemd && mkdir /run/systemd/system
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$dir/home" XDG_RUNTIME_DIR="$dir/run" /lib/systemd/systemd --user
INSIDE
# The pid stays the same from here on: everything below replaces the process and starts no other.
setsid bash -c 'echo $$ > "$dir/pid" && echo $$ > "$cgroup/cgroup.procs"
exec unshare -m -C --propagation private bash "$dir/inside"' > "$dir/log" 2>&1 < /dev/null &
for _ in $(seq 2400); do
  [ -S "$dir/run/systemd/private" ] && exit 0
  sleep 0.05
done
echo "user-systemd-boot: it did not start: $(tail -n 1 "$dir/log")" >&2
exit 1
