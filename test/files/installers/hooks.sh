#!/bin/sh
# What many frameworks ship: scripts in a folder of their own, and a hook that names them by absolute path.
set -eu
mkdir -p "$HOME/.chime/bin" "$HOME/.claude"
cat > "$HOME/.chime/bin/ring" <<'RING'
#!/bin/sh
# ${TONE} is the reader's own.
printf '\a%s\n' "${TONE:-ding}"
RING
chmod 755 "$HOME/.chime/bin/ring"
cp "$HOME/.chime/bin/ring" "$HOME/.chime/bin/ring-twice"
printf 'volume = 3\nhome = "%s/.chime"\n' "$HOME" > "$HOME/.chime/config.toml"
cat > "$HOME/.claude/settings.json" <<JSON
{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "$HOME/.chime/bin/ring"
          }
        ]
      }
    ]
  },
  "permissions": {
    "allow": [
      "Bash(ring:*)"
    ]
  }
}
JSON
mkdir -p "$HOME/.npm/_cacache"
echo cached > "$HOME/.npm/_cacache/x"
