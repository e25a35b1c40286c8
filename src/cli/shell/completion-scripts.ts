import { shellQuoted } from "../../core/messages.ts";
import type { ArgumentKind, Command, Options } from "./command.ts";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/**
 * A completion script for a program that may be part of another: `zylos config` completes behind `zylos config` only.
 */
export function completionScript(shell: Shell, program: string, commands: readonly CommandWords[]): string {
  const words = program.split(" ");
  const call: Call = { program, name: words[0]!, prefix: words.slice(1), id: program.replaceAll(/[^A-Za-z0-9]/g, "_") };
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };
  return scripts[shell](call, commands);
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
function allFlags(commands: readonly CommandWords[], ...values: OptionWord["value"][]): string[] {
  return [...new Set(commands.flatMap(({ options }) => values.flatMap((value) => flags(options, value))))];
}

/** What the program itself lists, one a line: `completion owners`, `completion keys`. */
function listOf({ program }: Call, argument: CommandWords["argument"]): string | undefined {
  const list = listName(argument);
  return list === "" ? undefined : `${program} completion ${list} 2>/dev/null`;
}

function bashScript(call: Call, commands: readonly CommandWords[]): string {
  const { program, name, prefix, id } = call;
  const at = prefix.length + 1;
  const guards = prefix
    .map((word, i) => `  [[ \${COMP_WORDS[${i + 1}]} == ${shellQuoted(word)} ]] || return 0\n`)
    .join("");
  const cases = commands.map(({ name: each, options, first, argument }) => {
    const words = `flags=${shellQuoted(flags(options).join(" "))} words=${shellQuoted(first.join(" "))}`;
    const list = listOf(call, argument);
    const listed = list === undefined ? "" : `\n      [[ $cur == -* ]] || { _${id}_offer < <(${list}); return 0; }`;
    return `    ${each})\n      ${words}${listed} ;;\n`;
  });
  return `# bash completion for ${program}; to use it now: source <(${program} completion bash)
# Offers lines: each is one word, however many blanks, colons and stars are in it.
_${id}_offer() {
  local typed="" line before
  [[ "\${COMP_LINE:0:COMP_POINT}" =~ (([^[:space:]\\\\]|\\\\.)*)$ ]] && typed=\${BASH_REMATCH[1]}
  before=\${typed%"\${typed##*[:=]}"}
  typed=\${typed//\\\\/}
  while IFS= read -r line; do
    [[ "$line" == "$typed"* ]] || continue
    printf -v line %q "$line"
    COMPREPLY+=("\${line#"$before"}")
  done
}
_${id}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} flags="" words=""
  COMPREPLY=()
${guards}  if (( COMP_CWORD == ${at} )); then
    COMPREPLY=($(compgen -W ${shellQuoted(commands.map((each) => each.name).join(" "))} -- "$cur"))
    return 0
  fi
  case $prev in
    ${allFlags(commands, "folder").join("|")}) COMPREPLY=($(compgen -d -- "$cur")); return 0 ;;
    ${allFlags(commands, "owner").join("|")}) _${id}_offer < <(${listOf(call, "owner")}); return 0 ;;
    ${allFlags(commands, "other", "file").join("|")}) return 0 ;;
  esac
  case \${COMP_WORDS[${at}]} in
${cases.join("")}  esac
  if [[ $cur == -* ]]; then words=$flags; elif (( COMP_CWORD > ${at + 1} )); then words=""; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  return 0
}
complete -o bashdefault -o default -F _${id} ${name}
`;
}

function zshScript(call: Call, commands: readonly CommandWords[]): string {
  const { program, name, prefix, id } = call;
  const at = prefix.length + 2;
  const guards = prefix.map((word, i) => `  [[ $words[${i + 2}] == ${shellQuoted(word)} ]] || return 1\n`).join("");
  const listed = commands
    .map((each) => `    ${shellQuoted(`${each.name}:${each.summary.replaceAll(":", "\\:")}`)}\n`)
    .join("");
  const offer = (list: string) => `compadd -- \${(f)"$(${list})"}`;
  const cases = commands.map(({ name: each, options, first, argument }) => {
    const words = (list: readonly string[]) => `(${list.map(shellQuoted).join(" ")})`;
    const list = listOf(call, argument);
    // A key may stand behind its file.
    const offered = list === undefined ? "" : `${offer(list)}${argument === "key" ? "" : "; return"}`;
    const listed = list === undefined ? "" : `\n      [[ $PREFIX == -* ]] || { ${offered}; }`;
    return `    ${each})\n      flags=${words(flags(options))} first=${words(first)}${listed} ;;\n`;
  });
  return `#compdef ${name}
# zsh completion for ${program}; keep it as _${name} in a folder of your fpath
_${id}() {
  local -a commands flags first
${guards}  commands=(
${listed}  )
  if (( CURRENT == ${at} )); then
    _describe command commands
    return
  fi
  case $words[CURRENT-1] in
    ${allFlags(commands, "folder").join("|")}) _files -/; return ;;
    ${allFlags(commands, "owner").join("|")}) ${offer(listOf(call, "owner")!)}; return ;;
  esac
  case $words[${at}] in
${cases.join("")}  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $flags
  elif (( CURRENT == ${at + 1} && $#first )); then
    compadd -- $first
  else
    _files
  fi
}
compdef _${id} ${name}
`;
}

function fishScript(call: Call, commands: readonly CommandWords[]): string {
  const { program, name, prefix, id } = call;
  const names = commands.map((each) => each.name).join(" ");
  const before =
    prefix.length === 0
      ? ""
      : `test (count $words) -gt ${prefix.length}; and test "$words[2..${prefix.length + 1}]" = ${shellQuoted(prefix.join(" "))}; and `;
  const lines = commands.flatMap(({ name: each, summary, options, first, argument }) => {
    const here = `complete -c ${name} -n '__${id}_at ${each}'`;
    const list = listOf(call, argument);
    return [
      `complete -c ${name} -n '__${id}_at command' -f -a ${each} -d ${shellQuoted(summary)}`,
      ...first.map((word) => `complete -c ${name} -n '__${id}_at ${each} first' -f -a ${word}`),
      ...options.map((option) => `${here} ${fishOption(option, listOf(call, "owner")!)}`),
      ...(list === undefined ? [] : [`${here} -f -a '(${list})'`]),
    ];
  });
  return `# fish completion for ${program}; keep it as ${name}.fish in ~/.config/fish/completions
function __${id}_at
  set -l words (commandline -opc)
  ${before}true; or return 1
  set -l given $words[${prefix.length + 2}]
  if test "$argv[1]" = command
    test -z "$given"; or not contains -- "$given" ${names}
  else
    test "$given" = "$argv[1]"; and begin
      not set -q argv[2]; or test (count $words) -eq ${prefix.length + 2}
    end
  end
end
${lines.join("\n")}
`;
}

function fishOption({ flag, value }: OptionWord, owners: string): string {
  const spelling = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
  if (value === "nothing") return spelling;
  if (value === "owner") return `${spelling} -x -a '(${owners})'`;
  return `${spelling} -r${value === "folder" || value === "file" ? " -F" : " -f"}`;
}

/** Windows PowerShell 5.1 and PowerShell 7 read it alike. Where it offers nothing, PowerShell offers files. */
function powershellScript(call: Call, commands: readonly CommandWords[]): string {
  const { program, name, prefix } = call;
  const list = (words: readonly string[]) => `@(${words.map(powershellQuote).join(", ")})`;
  const table = commands.map(({ name: each, options, first, argument }) => {
    const words = `First = ${list(first)}; Flags = ${list(flags(options))}`;
    return `    ${powershellQuote(each)} = @{ ${words}; Lists = ${powershellQuote(listName(argument))} }`;
  });
  const quiet = (what: string) => `(& ${program.split(" ").map(powershellQuote).join(" ")} completion ${what} 2>$null)`;
  return `# PowerShell completion for ${program}; to use it, in $PROFILE: ${program} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${powershellQuote(name)} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = [ordered]@{
${table.join("\n")}
  }
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $prefix = ${list(prefix)}
  if ($words.Count -le $prefix.Count) { return }
  for ($i = 0; $i -lt $prefix.Count; $i++) { if ($words[$i + 1] -ne $prefix[$i]) { return } }
  $given = @($words | Select-Object -Skip ($prefix.Count + 1))
  if ($given.Count -eq 0) { $offers = @($commands.Keys) }
  elseif ($given[-1] -in ${list(allFlags(commands, "owner"))}) { $offers = @${quiet("owners")} }
  elseif ($given[-1] -in ${list(allFlags(commands, "folder", "file", "other"))}) { return }
  elseif (-not $commands.Contains($given[0])) { return }
  else {
    $known = $commands[$given[0]]
    $offers = @()
    if ($wordToComplete.StartsWith('-')) { $offers = @($known.Flags) }
    elseif ($known.Lists -eq 'owners') { $offers = @${quiet("owners")} }
    elseif ($known.Lists -eq 'keys') { $offers = @${quiet("keys")} }
    elseif ($given.Count -eq 1) { $offers = @($known.First) }
  }
  $typed = $wordToComplete.Trim("'", '"')
  $offers | Where-Object { $_.StartsWith($typed) } | ForEach-Object {
    $text = if ($_ -match '^[\\w./:-]+$') { $_ } else { "'" + $_.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`;
}

function listName(argument: CommandWords["argument"]): string {
  return { owner: "owners", key: "keys", file: "", shell: "", nothing: "" }[argument];
}

function powershellQuote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** What of a command can be completed. */
interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWord[];
  /** What stands right behind it: the commands below it, or the shells of `completion`. */
  readonly first: readonly string[];
  /** What its arguments are. */
  readonly argument: ArgumentKind;
}

interface OptionWord {
  readonly flag: string;
  readonly value: "nothing" | "folder" | "file" | "owner" | "other";
}

/** A command below another offers its options behind both names; here they all stand behind the first. */
export async function commandWords(
  name: string,
  summary: string,
  { options, argument, commands = {} }: Command,
): Promise<CommandWords> {
  const below = await Promise.all(Object.values(commands).map(async ({ load }) => (await load()).command.options));
  const words = optionWords(Object.assign({}, ...below, options) as Options);
  const first = argument === "shell" ? shells : Object.keys(commands);
  return { name, summary, options: words, first, argument };
}

function optionWords(options: Options): OptionWord[] {
  return Object.entries(options).flatMap(([name, { short, value }]) => {
    const kind = name === "owner" ? "owner" : valueKind(value);
    return [{ flag: `--${name}`, value: kind }, ...(short === undefined ? [] : [{ flag: `-${short}`, value: kind }])];
  });
}

function valueKind(value: string | undefined): OptionWord["value"] {
  if (value === undefined) return "nothing";
  if (value.startsWith("DIR")) return "folder";
  return value.startsWith("FILE") ? "file" : "other";
}
