import type { Command } from "commander";

/** The words that may follow a command. */
export interface CommandWords {
  /** The command with its groups, such as `muster agents push`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Whether the command accepts arguments, which may be files. */
  readonly hasArguments: boolean;
}

export type Word = ReturnType<typeof wordOf>;

/** The words of a command and of all commands below it. */
export function commandWordsOf(command: Command, path = command.name()): CommandWords[] {
  const commands = command.commands.map((child) => wordOf(child.name(), child.description()));
  const options = command.options.flatMap(({ long, description }) =>
    long ? [wordOf(long, description)] : [],
  );
  const own = {
    path,
    commands,
    options: [...options, wordOf("--help", "Show help")],
    hasArguments: command.registeredArguments.length > 0,
  };
  return [own, ...command.commands.flatMap((child) => commandWordsOf(child, `${path} ${child.name()}`))];
}

/** Descriptions are put into scripts, so they keep only characters that mean nothing in any shell. */
function wordOf(word: string, description: string) {
  return {
    word,
    description: description
      .replaceAll(";", ",")
      .replace(/[^\w ,./@()=-]/g, "")
      .replace(/\.$/, ""),
  };
}
