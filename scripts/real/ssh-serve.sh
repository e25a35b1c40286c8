#!/bin/bash
# ssh-serve.sh DIR PORT: the cached sshd on loopback, in the foreground, with the keys in DIR (host_key, authorized_keys). It runs in a mount
# namespace of its own, where it finds the user and the folder it insists on; the machine's own files stay as they are.
set -euo pipefail
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
dir=$(cd "$1" && pwd)
port=$2
cp /etc/passwd "$dir/passwd"
grep -q '^sshd:' "$dir/passwd" || echo 'sshd:x:65534:65534::/run/sshd:/usr/sbin/nologin' >> "$dir/passwd"
cat > "$dir/sshd_config" <<CONF
ListenAddress 127.0.0.1
Port $port
HostKey $dir/host_key
AuthorizedKeysFile $dir/authorized_keys
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
CONF
libraries=$(find -L "$cache/ssh" -name 'lib*.so.*' -printf '%h\n' 2> /dev/null | sort -u | paste -sd:)
export dir cache libraries
exec unshare -m --propagation private bash -c '
  mount --bind "$dir/passwd" /etc/passwd
  mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd
  LD_LIBRARY_PATH=$libraries exec "$cache/ssh/usr/sbin/sshd" -D -e -f "$dir/sshd_config"'
