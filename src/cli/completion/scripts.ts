/** What a shell completes after the name of the program. */
export interface Completed {
  readonly commands: readonly CompletedCommand[];
  readonly options: readonly CompletedOption[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
}

export interface CompletedOption {
  /** With its dashes. */
  readonly flag: string;
  readonly description: string;
  /** A value follows, often the name of a file. */
  readonly takesValue: boolean;
}

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The script for a shell. It starts no other program, so that a key press never waits. */
export function completionScript(shell: Shell, completed: Completed): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](completed);
}

function bashScript({ commands, options }: Completed): string {
  const cases = commands.map(
    ({ name, options: own }) => `    ${name}) words="${flagsOf([...own, ...options]).join(" ")}" ;;`,
  );
  return `# bash completion of svcsync: source <(svcsync completion bash)
_svcsync() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command="" words at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
    --env-file) at=$((at + 1)) ;;
    -*) ;;
    *)
      command=\${COMP_WORDS[at]}
      break
      ;;
    esac
  done
  case $command in
    "") words="${[...commands.map(({ name }) => name), ...flagsOf(options)].join(" ")}" ;;
${cases.join("\n")}
    *) words="" ;;
  esac
  # The value of an option is free; without a reply, files are completed.
  case $previous in
    ${valuePattern({ commands, options })}) return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _svcsync svcsync
`;
}

function zshScript({ commands, options }: Completed): string {
  const cases = commands.map(
    ({ name, options: own }) => `    ${name}) flags=(\n${described([...own, ...options])}\n    ) ;;`,
  );
  return `#compdef svcsync
# zsh completion of svcsync: source <(svcsync completion zsh), after compinit
_svcsync() {
  local -a commands flags
  local command="" at
  commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`).join("\n")}
  )
  for ((at = 2; at < CURRENT; at++)); do
    case $words[at] in
      --env-file) at=$((at + 1)) ;;
      -*) ;;
      *) command=$words[at]; break ;;
    esac
  done
  case $command in
    "") flags=(
${described(options)}
    ) ;;
${cases.join("\n")}
  esac
  case $words[CURRENT-1] in
    ${valuePattern({ commands, options })}) _files; return ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then _describe -o option flags
  elif [[ -z $command ]]; then _describe command commands
  else _files
  fi
}
compdef _svcsync svcsync
`;
}

function fishScript({ commands, options }: Completed): string {
  return [
    fishHead,
    ...options.map((option) => fishOption("", option)),
    ...commands.map(
      ({ name, description }) =>
        `complete -c svcsync -n 'not __svcsync_command >/dev/null' -f -a ${name} -d ${quoted(description)}`,
    ),
    ...commands.flatMap(({ name, options: own }) =>
      own.map((option) => fishOption(`-n 'contains -- ${name} (__svcsync_command)' `, option)),
    ),
    "",
  ].join("\n");
}

const fishHead = `# fish completion of svcsync: svcsync completion fish | source
function __svcsync_command --description 'The command that was typed; fails if there is none'
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --env-file
                set -e words[1]
            case '-*'
            case '*'
                echo $words[1]
                return
        end
        set -e words[1]
    end
    return 1
end`;

function fishOption(condition: string, { flag, description, takesValue }: CompletedOption): string {
  const name = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
  return `complete -c svcsync ${condition}${name} -d ${quoted(description)}${takesValue ? " -r" : ""}`;
}

function described(options: readonly CompletedOption[]): string {
  return options.map(({ flag, description }) => `      ${quoted(`${flag}:${description}`)}`).join("\n");
}

function flagsOf(options: readonly CompletedOption[]): string[] {
  return options.map(({ flag }) => flag);
}

/** All options that a value follows, as a pattern of `case`. */
function valuePattern({ commands, options }: Completed): string {
  const all = [...options, ...commands.flatMap(({ options: own }) => own)];
  return [...new Set(flagsOf(all.filter(({ takesValue }) => takesValue)))].join(" | ");
}

/** A word of a shell: single quotes, in which bash and zsh know no special character, and fish only the backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "").replaceAll("'", "\u2019")}'`;
}
