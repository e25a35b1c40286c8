// What is promised, by the name of the row that measures it: a value above its limit fails the run. docs/performance.md
// says the same, and a test compares the two. Units are those of the row: times the other side, the power of the size
// that cost grows with, milliseconds, seconds or megabytes.

export const limits = {
  "stet --version": 1.15,
  "stet plan, 5 files, 60 entries, nothing to do": 1.4,
  "stet plan, nothing to do": 1,
  "stet plan, a folder of 10,000 files, nothing to do": 3,
  "stet plan, one entry edited": 3.4,
  "stet status, one entry edited": 2.7,
  "stet blame, one entry edited": 2.5,
  "stet merge of three small files": 2.5,

  "1 edit in a 10 MB JSON file": 1.5,
  "10,000 edits in a 10 MB JSON file": 2.25,
  "stet apply, 1 edit in a 10 MB JSON file": 2,
  "one edit in 1 MB of YAML": 5,
  "100 edits in 1 MB of YAML": 8,
  "one edit in 1 MB of TOML": 2.5,

  "files growth: time": 1.1,
  "files growth: memory": 1.1,
  "files growth: 100,000 entries": 11,
  "host growth: time": 1.1,
  "host growth: memory": 1.1,
  "toolset growth: time": 1.1,
  "toolset growth: memory": 1.1,
  "JSON: as many new names as there are": 16,
  "YAML: as many new names as there are": 16,
  "TOML: as many new names as there are": 16,
  "dotenv: as many new names as there are": 16,
  "INI: as many new names as there are": 16,
  "JSON: every other entry of a map of maps set": 16,
  "TOML: items of one long line removed": 16,
  "TOML: lines added between comments": 16,
  "TOML: tables with sub-tables added and removed": 16,
  "TOML: elements of a list of tables set": 16,

  "JSON: three texts merged, each with edits of its own": 16,
  "text merge of 10,000 lines, a third of them }": 3,

  "stet host evaluate, 50 services under overlays": 1,
  "host: 50 units and drop-ins in a fresh process": 25,
  "host: check of 1,000 hosts of 50 services": 30,

  "stet toolset apply, 100 tools, one changed": 1.5,
  "toolset: 100 services and 50 overrides": 10,
  "toolset: 10,000 services and 50 overrides": 1000,
  "toolset: 4,000 services and 2,000 overrides, more than fits": 2000,
  "toolset: a Service's change is in the ConfigMap, 99 of 100": 500,
  "toolset: controller's memory at 10,000 Services": 150,
};
