#!/usr/bin/env bash
# plugin.sh HOST PLUGIN PLUGIN PYTHON: tests plugins that contain a static leat, as extensions of
# other languages do. A plugin must need no static TLS, because a running program has little static
# TLS left. HOST (plugin_host.c) loads and closes the plugins. Python's ctypes loads the plugins,
# too.
set -euo pipefail
host=$1 first=$2 second=$3 python=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for plugin in "$first" "$second"; do
  if readelf -d "$plugin" | grep -q STATIC_TLS; then
    echo "$plugin needs static TLS" >&2
    exit 1
  fi
done
"$host" "$first" "$second" "$folder/file"
"$python" - "$first" "$second" "$folder/file" <<'END'
import ctypes, sys
for plugin in sys.argv[1:3]:
    assert ctypes.CDLL(plugin).plugin_use(sys.argv[3].encode()) == 0
END
