#!/bin/sh
# A framework that is installed per project: folders of Markdown, a script, and its settings.
set -eu
mkdir -p .claude/agents/deep .claude/commands .claude/hooks
for name in review test plan; do
  printf -- '---\nname: %s\n---\nUse {{input}} and $ARGUMENTS.\n' "$name" > ".claude/agents/$name.md"
done
printf 'deep\n' > .claude/agents/deep/er.md
printf 'ship it\n' > .claude/commands/ship.md
printf '#!/bin/sh\nexit 0\n' > .claude/hooks/guard.sh
chmod +x .claude/hooks/guard.sh
printf '{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [\n          {\n            "type": "command",\n            "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh"\n          }\n        ]\n      }\n    ]\n  }\n}\n' > .claude/settings.json
