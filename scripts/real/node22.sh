#!/usr/bin/env bash
# node22.sh: Node 22 from the npm registry into the cache, for running the suites on it.
exec "$(dirname "$0")/node.sh" 22
