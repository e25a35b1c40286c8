#!/bin/bash
# podman-boot.sh DIR: boots the cached root's systemd as process 1 of new namespaces, under a throw-away layer; its pid, as seen here, in DIR/pid.
# In it, /opt/stet is the self-contained executable that podman-binary.sh built (the machine has no Node), and /opt/shared is DIR/shared.
# Everything is mounted inside the namespaces: when process 1 is killed, nothing is left but DIR and the empty cgroup named in DIR/cgroup.
set -euo pipefail
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
dir=$(mkdir -p "$1" && cd "$1" && pwd)
lower=$cache/trixie-root
[ -x "$cache/stet-binary" ] || { echo "podman-boot: run podman-binary.sh first" >&2; exit 1; }
cgroup=/sys/fs/cgroup/unified
[ -d "$cgroup" ] || cgroup=/sys/fs/cgroup
cgroup=$cgroup/stet-boot-$$
mkdir "$cgroup"
echo "$cgroup" > "$dir/cgroup"
mkdir -p "$dir/layers" "$dir/root" "$dir/shared"
export dir lower cgroup cache
cat > "$dir/inside" <<'INSIDE'
set -e
hostname box
mount -t tmpfs tmpfs "$dir/layers"
mkdir "$dir/layers/upper" "$dir/layers/work"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$dir/layers/upper,workdir=$dir/layers/work" "$dir/root"
cd "$dir/root"
mkdir -p opt/shared && touch opt/stet
mount --bind "$cache/stet-binary" opt/stet && mount --bind "$dir/shared" opt/shared
cp "$cache/busybox.tar" opt/busybox.tar
# A real file system of its own: podman can't stack its layers on ours.
mkdir -p var/lib/containers && mount -t tmpfs tmpfs var/lib/containers
mount -t proc proc proc
mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys && mount --bind /proc/sys/net proc/sys/net
mount -t sysfs -o ro sysfs sys && mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty fuse; do
  if [ -e "/dev/$device" ]; then touch "dev/$device" && mount --bind "/dev/$device" "dev/$device"; fi
done
mkdir dev/pts dev/shm dev/mqueue
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx && ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin && ln -s /proc/self/fd/1 dev/stdout && ln -s /proc/self/fd/2 dev/stderr
mount -t tmpfs tmpfs dev/shm && mount -t tmpfs -o mode=755 tmpfs run && mount -t tmpfs tmpfs tmp
ip link set lo up
pivot_root . mnt && umount -l /mnt
# systemd in a container takes mounts as it finds them, and hands credentials to services through shared ones.
mount --make-rshared /
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=stet-test /sbin/init
INSIDE
setsid bash -c 'echo $$ > "$cgroup/cgroup.procs"
exec unshare -m -C -p -f -i -u -n --propagation private --kill-child bash "$dir/inside"' > "$dir/log" 2>&1 < /dev/null &
outer=$!
for _ in $(seq 2400); do
  init=$(pgrep -P "$outer" | head -n 1 || true)
  if [ -n "$init" ] && [ "$(cat "/proc/$init/comm" 2> /dev/null)" = systemd ] && [ -S "/proc/$init/root/run/systemd/private" ]; then
    echo "$init" > "$dir/pid"
    exit 0
  fi
  sleep 0.05
done
echo "podman-boot: the machine did not start: $(tail -n 1 "$dir/log")" >&2
exit 1
