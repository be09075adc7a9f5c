/** A command line that helps the user to continue. */
export interface Hint {
  /** Begins the sentence, such as "To list the agents". */
  readonly purpose: string;
  /** The command line without the name of the program, such as `agents list`. */
  readonly args: string;
}

/** The hint as a sentence. `program` is how this user starts the command, so that the line can be pasted. */
export function hintText({ purpose, args }: Hint, program: string): string {
  return `${purpose}, run: ${program} ${args}`;
}
