import type { CommandRun } from "../commands.ts";

/** Longer output of one command is cut in the middle: it has 500 rows of 120 columns. */
const maxOutput = 64_000;

/** The text of a terminal in which the commands were typed, as pieces: lines of its own, and the output of programs. */
export function piecesOf(commands: readonly CommandRun[]): Array<{ isOutput: boolean; text: string }> {
  return commands.flatMap(({ command, directory, output, problem }) => [
    { isOutput: false, text: `\x1b[36m${plain(directory)}\x1b[m \x1b[1m$ ${plain(command)}\x1b[m\n` },
    ...(output === "" ? [] : [{ isOutput: true, text: cut(output) }]),
    ...(problem === undefined ? [] : [{ isOutput: false, text: `\x1b[31m${plain(problem)}\x1b[m\n` }]),
  ]);
}

function cut(output: string): string {
  if (output.length <= maxOutput) return output;
  return `${output.slice(0, maxOutput / 2)}\n\x1b[m[…]\n${output.slice(-maxOutput / 2)}`;
}

/** Control characters of a command are shown, not obeyed. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to replace
  return text.trimEnd().replace(/[\u0000-\u0009\u000b-\u001f]/g, pictureOf);
}

function pictureOf(character: string): string {
  return String.fromCharCode(0x2400 + character.charCodeAt(0));
}
