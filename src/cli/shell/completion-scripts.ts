import type { CommandWords, OptionWord } from "./command-words.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/**
 * A completion script for a program that may be part of another: `zylos config` completes behind `zylos config` only.
 */
export function completionScript(shell: Shell, program: string, commands: readonly CommandWords[]): string {
  const words = program.split(" ");
  const call: Call = { program, name: words[0]!, prefix: words.slice(1), id: program.replaceAll(/[^A-Za-z0-9]/g, "_") };
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](call, commands);
}

interface Call {
  readonly program: string;
  readonly name: string;
  /** The words between the program's name and the command. */
  readonly prefix: readonly string[];
  readonly id: string;
}

function flags(options: readonly OptionWord[], value?: OptionWord["value"]): string[] {
  return options.filter((option) => value === undefined || option.value === value).map((option) => option.flag);
}

/** Options of all commands that take a value of this kind: a name means the same everywhere. */
function allFlags(commands: readonly CommandWords[], value: OptionWord["value"]): string[] {
  return [...new Set(commands.flatMap(({ options }) => flags(options, value)))];
}

function bashScript({ program, name, prefix, id }: Call, commands: readonly CommandWords[]): string {
  const at = prefix.length + 1;
  const guards = prefix.map((word, i) => `  [[ \${COMP_WORDS[${i + 1}]} == ${quote(word)} ]] || return 0\n`).join("");
  const cases = commands.map(({ name: each, options, subcommands, argument }) => {
    const words = [...subcommands, ...flags(options)].join(" ");
    const owners =
      argument === "owner" ? `\n      [[ $cur == -* ]] || words="$(${program} completion owners 2>/dev/null)"` : "";
    return `    ${each})\n      words=${quote(words)}${owners} ;;\n`;
  });
  const folders = allFlags(commands, "folder");
  const others = [...allFlags(commands, "other"), ...allFlags(commands, "file")];
  return `# bash completion for ${program}; to use it now: source <(${program} completion bash)
_${id}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words=""
  COMPREPLY=()
${guards}  if (( COMP_CWORD == ${at} )); then
    COMPREPLY=($(compgen -W ${quote(commands.map((each) => each.name).join(" "))} -- "$cur"))
    return 0
  fi
  case $prev in
    ${folders.join("|")}) COMPREPLY=($(compgen -d -- "$cur")); return 0 ;;
    ${others.join("|")}) return 0 ;;
  esac
  case \${COMP_WORDS[${at}]} in
${cases.join("")}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  return 0
}
complete -o bashdefault -o default -F _${id} ${name}
`;
}

function zshScript({ program, name, prefix, id }: Call, commands: readonly CommandWords[]): string {
  const at = prefix.length + 2;
  const guards = prefix.map((word, i) => `  [[ $words[${i + 2}] == ${quote(word)} ]] || return 1\n`).join("");
  const listed = commands
    .map((each) => `    ${quote(`${each.name}:${each.summary.replaceAll(":", "\\:")}`)}\n`)
    .join("");
  const cases = commands.map(({ name: each, options, subcommands, argument }) => {
    const words = [...subcommands, ...flags(options)].map(quote).join(" ");
    const more =
      argument === "owner"
        ? `\n      [[ $PREFIX == -* ]] || compadd -- \${(f)"$(${program} completion owners 2>/dev/null)"}`
        : "";
    return `    ${each})\n      compadd -- ${words}${more} ;;\n`;
  });
  return `#compdef ${name}
# zsh completion for ${program}; keep it as _${name} in a folder of your fpath
_${id}() {
  local -a commands
${guards}  commands=(
${listed}  )
  if (( CURRENT == ${at} )); then
    _describe command commands
    return
  fi
  case $words[CURRENT-1] in
    ${allFlags(commands, "folder").join("|")}) _files -/; return ;;
  esac
  case $words[${at}] in
${cases.join("")}  esac
  [[ $PREFIX == -* ]] || _files
}
compdef _${id} ${name}
`;
}

function fishScript({ program, name, prefix, id }: Call, commands: readonly CommandWords[]): string {
  const names = commands.map((each) => each.name).join(" ");
  const before =
    prefix.length === 0
      ? ""
      : `test (count $words) -gt ${prefix.length}; and test "$words[2..${prefix.length + 1}]" = ${quote(prefix.join(" "))}; and `;
  const lines = commands.flatMap(({ name: each, summary, options, subcommands, argument }) => [
    `complete -c ${name} -n '__${id}_at command' -f -a ${each} -d ${quote(summary)}`,
    ...subcommands.map((word) => `complete -c ${name} -n '__${id}_at ${each}' -a ${word}`),
    ...options.map((option) => `complete -c ${name} -n '__${id}_at ${each}' ${fishOption(option)}`),
    ...(argument === "owner"
      ? [`complete -c ${name} -n '__${id}_at ${each}' -f -a '(${program} completion owners 2>/dev/null)'`]
      : []),
  ]);
  return `# fish completion for ${program}; keep it as ${name}.fish in ~/.config/fish/completions
function __${id}_at
  set -l words (commandline -opc)
  ${before}true; or return 1
  set -l given $words[${prefix.length + 2}]
  if test "$argv[1]" = command
    test -z "$given"; or not contains -- "$given" ${names}
  else
    test "$given" = "$argv[1]"
  end
end
${lines.join("\n")}
`;
}

function fishOption({ flag, value }: OptionWord): string {
  const spelling = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
  return value === "nothing" ? spelling : `${spelling} -r${value === "folder" || value === "file" ? " -F" : " -f"}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
