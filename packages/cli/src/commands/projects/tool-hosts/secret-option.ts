import type { Command } from "commander";
import type { Options } from "../../../options.ts";
import type { Output } from "../../../output.ts";
import type { Io } from "../../../process-io.ts";
import { variableOf } from "../../../read-secret.ts";

/** The option of commands that set a secret. */
export function addOwnSecretOption(command: Command): Command {
  return command.option(
    "--secret-env <variable>",
    "Environment variable of your own secret (default: a generated one)",
  );
}

export function ownSecretOf(io: Io, options: Options): string | undefined {
  const variable = options.text("secretEnv");
  return variable === undefined ? undefined : variableOf(io, variable);
}

/** Only a generated secret is shown, alone on standard output. */
export function showSecret(out: Output, done: string, secret: string | undefined): void {
  if (secret === undefined) out.line(done);
  else {
    out.note(`${done} Its secret is shown only now:`);
    out.line(secret);
  }
}
