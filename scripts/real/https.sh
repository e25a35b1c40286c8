#!/bin/bash
# https.sh: what a Git remote over https takes: Git with its CGI program, openssl for a certificate, and /proc to see what was run with which arguments.
set -euo pipefail
fail() { echo "https: $1" >&2; exit 1; }
missing() { ! command -v git > /dev/null || ! command -v openssl > /dev/null; }
if missing && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends git openssl; } > /dev/null 2>&1 || true
fi
missing && fail "git or openssl is not installed; install them with your package manager"
[ -x "$(git --exec-path)/git-http-backend" ] || fail "this git comes without http-backend"
[ -x "$(git --exec-path)/git-remote-https" ] || fail "this git comes without https"
[ -r /proc/self/cmdline ] || fail "there is no /proc to look for arguments in"
