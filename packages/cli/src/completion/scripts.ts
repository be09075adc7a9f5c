import type { CommandWords, Word } from "./command-words.ts";

/** Completion scripts. They contain all words, so that completing does not start the command. */
export const scripts = { bash, zsh, fish } as const;

export type Shell = keyof typeof scripts;

function bash(all: readonly CommandWords[]): string {
  return `# bash completion for muster.
_muster() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=muster words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${patternOf(all)}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${all.map((command) => `    "${command.path}") words="${allWords(command)}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
# Where no word fits, files do.
complete -o default -F _muster muster
`;
}

function zsh(all: readonly CommandWords[]): string {
  const described = ({ word, description }: Word) => `'${word}:${description}'`;
  const linesOf = ({ path, commands, options, hasArguments }: CommandWords) => `    "${path}")
      commands=(${commands.map(described).join(" ")})
      options=(${options.map(described).join(" ")})
      files=${hasArguments ? 1 : 0} ;;`;
  return `#compdef muster
# zsh completion for muster. Save it as _muster in a folder of $fpath.
_muster() {
  local command=muster word files=0
  local -a commands options
  for word in \${words[2,CURRENT-1]}; do
    case "$command $word" in
      ${patternOf(all)}) command="$command $word" ;;
    esac
  done
  case "$command" in
${all.map(linesOf).join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  else
    ((\${#commands})) && _describe command commands
    ((files)) && _files
  fi
}
# The file is the body of the function when zsh loads it from $fpath, and a script when it is sourced.
if [[ \${funcstack[1]} == _muster ]]; then _muster "$@"; else compdef _muster muster; fi
`;
}

function fish(all: readonly CommandWords[]): string {
  const line = (path: string, argument: string, { description }: Word) =>
    `complete -c muster -n '__muster_at "${path}"' ${argument} -d '${description}'`;
  const linesOf = ({ path, commands, options, hasArguments }: CommandWords) => [
    ...(hasArguments ? [`complete -c muster -n '__muster_at "${path}"' -F`] : []),
    ...commands.map((word) => line(path, `-a ${word.word}`, word)),
    ...options.map((word) => line(path, `-l ${word.word.slice(2)}`, word)),
  ];
  return `# fish completion for muster.
function __muster_at
  set -l path muster
  for word in (commandline -opc)[2..]
    switch "$path $word"
      case ${all
        .slice(1)
        .map(({ path }) => `"${path}"`)
        .join(" ")}
        set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
complete -c muster -f
${all.flatMap(linesOf).join("\n")}
`;
}

/** All commands below the program, as a pattern of `case`. */
function patternOf(all: readonly CommandWords[]): string {
  return all
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join("|");
}

function allWords({ commands, options }: CommandWords): string {
  return [...commands, ...options].map(({ word }) => word).join(" ");
}
