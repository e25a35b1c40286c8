#!/usr/bin/env bash
# node24.sh: Node 24 from the npm registry into the cache, for running the suites on it.
exec "$(dirname "$0")/node.sh" 24
