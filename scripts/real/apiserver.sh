#!/usr/bin/env bash
# apiserver.sh: a real kube-apiserver, etcd and kubectl for the toolset tests, in $STET_TEST_CACHE/apiserver/bin (160 MB kept).
#
# Debian ships no API server, but its source package of Kubernetes 1.20.2 is complete: the first run downloads it and builds (5 to 9 minutes on
# two cores, 3 GB while it lasts). Every later run only looks whether the binaries are there. Says nothing when all is well; otherwise one line
# and exit 1. Needs Debian 12's apt and node; installs nothing, and writes nothing outside the cache.
set -uo pipefail

cache=${STET_TEST_CACHE:-$HOME/.cache/stet-test}
out=$cache/apiserver
log=$out/build.log
source_archive=kubernetes_1.20.5+really1.20.2.orig.tar.gz
source_sha256=b83c0780efb182d928dc63d46488a847f161f04e40a94b96bf5247dd671ecdfc
packages="golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev etcd-server kubernetes-client make rsync libpopt0 libxxhash0"

[ -x "$out/bin/kube-apiserver" ] && exit 0

fail() {
  echo "apiserver.sh: $1" >&2
  exit 1
}

for tool in apt-get dpkg-deb node tar flock; do
  command -v "$tool" >/dev/null || fail "cannot build kube-apiserver: '$tool' is missing (it is built from Debian 12's packages)"
done
mkdir -p "$out" || fail "cannot create $out"

# One build at a time: a second caller waits and then finds the binaries.
exec 9>"$out/lock"
flock 9
[ -x "$out/bin/kube-apiserver" ] && exit 0

work=$(mktemp -d "$out/work.XXXXXX") || fail "cannot write in $out"
remove_work() {
  # Go's module folders are read-only.
  chmod -R u+w "$work" 2>/dev/null
  rm -rf "$work"
}
trap remove_work EXIT

# The address of the Debian mirror that apt is set up with: asked for, never written down.
mirror() {
  local address
  address=$(apt-get download --print-uris bash | head -n 1 | cut -d"'" -f2)
  echo "${address%%/pool/*}"
}

get_packages() {
  # shellcheck disable=SC2086 # several words on purpose
  apt-get download -o APT::Sandbox::User=root $packages
}

download() {
  mkdir -p "$work"/{debs,root,src,bin,home,tools} && cd "$work/debs" || return
  # A machine that never asked what packages there are has to, once.
  get_packages || { apt-get update && get_packages; } || return
  for package in *.deb; do dpkg-deb -x "$package" "$work/root" || return; done
  node -e 'fetch(process.argv[1]).then(async (r) => { if (!r.ok) throw r.status; require("fs").writeFileSync(process.argv[2], Buffer.from(await r.arrayBuffer())) }).catch((e) => { console.error(e); process.exit(1) })' \
    "$(mirror)/pool/main/k/kubernetes/$source_archive" "$source_archive" || return
  echo "$source_sha256  $source_archive" | sha256sum -c --quiet || return
  tar xzf "$source_archive" -C "$work/src" --strip-components=1
}

# make and rsync out of their packages: the machine's own may be missing, and nothing is installed for a test.
make_tools() {
  local library
  library=$(dirname "$(find "$work/root/usr/lib" -name 'libpopt.so.0' | head -n 1)")
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s/root/usr/bin/rsync "$@"\n' "$library" "$work" >"$work/tools/rsync"
  chmod +x "$work/tools/rsync" && ln -s "$work/root/usr/bin/make" "$work/tools/make"
}

build() {
  make_tools && cd "$work/src" || return
  # The vendored reflect2 1.0.1 crashes under load with Go 1.18 and later; Debian's 1.0.2 does not.
  rm -rf vendor/github.com/modern-go/reflect2
  cp -r "$work/root/usr/share/gocode/src/github.com/modern-go/reflect2" vendor/github.com/modern-go/ || return
  export GOROOT=$work/root/usr/lib/go-1.19 GOPATH=$PWD/.go CGO_ENABLED=0 HOME=$work/home GOPROXY=off
  export PATH=$GOROOT/bin:$work/tools:$PATH
  mkdir -p .go/src/k8s.io && ln -sfn ../../.. .go/src/k8s.io/kubernetes || return
  nice -n 10 make WHAT=cmd/kube-apiserver || return
  cp _output/bin/kube-apiserver "$work/root/usr/bin/etcd" "$work/root/usr/bin/kubectl" "$work/bin/"
}

(download) >"$log" 2>&1 || fail "cannot download Kubernetes' sources or the tools to build them (see $log)"
(build) >>"$log" 2>&1 || fail "kube-apiserver did not build (see $log)"

# Into place in one step: a build that was killed leaves no half-filled bin folder behind.
rm -rf "$out/bin"
mv "$work/bin" "$out/bin" || fail "cannot write $out/bin"
