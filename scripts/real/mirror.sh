#!/bin/bash
# Prints the base address of the Debian mirror this machine's apt uses, so that no host has to be written down.
set -eu
address=$(apt-get download --print-uris bash 2>/dev/null | head -n 1 | cut -d"'" -f2)
[ -n "$address" ] || { echo "mirror: apt knows no Debian mirror (run apt-get update first)" >&2; exit 1; }
echo "${address%%/pool/*}"
