export const hostHelp = `usage: stet host evaluate | check | show UNIT | diff FROM [TO] | plan | apply | status | watch | rollback [options]

Turns a repository of shared services and host overlays into the Quadlet files, units and config of one host, and keeps the host so.

  evaluate      the desired state of this host (--output-dir DIR writes it as a tree)
  check         every host of the repository, all diagnostics
  show UNIT     a unit as it counts after all drop-ins, each line with its file
  diff FROM [TO]  what changes on hosts between two revisions, for pull requests
  plan          what apply would change on this host, and why
  apply         make it so
  status        what is managed here, what was edited, which units are down
  watch         apply again and again
  rollback      back to the state before the last commit, or to a generation (--to N)

which repository, which host:
      --repo DIR|URL        a folder as it is, or a Git remote: ssh, https, file (STET_REPO; the current folder)
      --rev REV             branch, tag or commit; refs/heads/NAME or refs/tags/NAME where a name is both (STET_REV; the remote's head)
      --host NAME           (STET_HOST; the machine's host name)
      --ssh-key FILE, --known-hosts FILE, --token-file FILE     how to get into the remote
      --allowed-signers FILE, --keyring FILE    only commits signed by these keys are applied
      --allow-rewind        go to a commit that does not contain what was applied last, also with --rev
      --git-timeout DURATION    (5m)

where to:
      --root DIR            a root file system elsewhere; nothing is started there unless --activate
      --user                the user's own units instead of the system's
      --quadlet-dir DIR, --unit-dir DIR    (/etc/containers/systemd, /etc/systemd/system)
      --no-activate         write files, touch no unit

plan, apply, watch:
      --diff                the lines that change
      --exit-code           plan, status: exit 2 if an apply would change something
      --keep-drift          leave files that were edited on the host as they are
      --unhold              apply a commit although it was rolled back from
      --rollback-on-failure put the previous state back if a unit does not come up
      --wait DURATION       how long units may take to come up (60s)
      --strict              apply: exit 3 if edits were kept
      --dry-run             apply: only plan
      --no-audit            no record of the run in the journal

watch:
      --interval DURATION   between two looks, give or take a tenth (5m)
      --once                one look, for a systemd timer
      --metrics-file FILE   for node_exporter's textfile collector

diff:
      --all-hosts           every host (without: --host, or the machine's)
      --format text|markdown|json

      --json, --home DIR, --state-dir DIR, --show-secrets, --no-color, -q, -v

exit: 0 done, 1 an error and nothing was changed, 2 see --exit-code, 3 see --strict, 4 applied, but a unit did not come up or was rolled back

example: stet host plan --repo ssh://git@git.example.org/homelab.git --host kadath --diff
`;
