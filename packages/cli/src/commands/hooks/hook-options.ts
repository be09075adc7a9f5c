import type { Command } from "commander";
import { usageError } from "../../exit.ts";
import type { Options } from "../../options.ts";
import type { Io } from "../../process-io.ts";
import { readSecret, variableOf } from "../../read-secret.ts";

/** The options of a hook that is created or changed, besides its message. */
export function addHookOptions(command: Command): Command {
  return command
    .option(
      "--secret-env <variable>",
      "With --verify: environment variable of the secret (default: standard input)",
    )
    .option("--thread-key <template>", "Deliveries for which it yields the same text go to one thread")
    .option("--filter <schema>", "JSON Schema of the bodies that reach the agent");
}

/** Those that are given. An empty text removes the field. */
export async function hookFieldsOf(io: Io, options: Options) {
  const [type, variable] = [options.text("verify"), options.text("secretEnv")];
  if (type === undefined && variable !== undefined)
    throw usageError("--secret-env needs --verify, which says how the sender signs.");
  const secretOf = () =>
    variable === undefined ? readSecret(io, "secret of a hook") : variableOf(io, variable);
  const [threadKey, filter] = [options.text("threadKey"), options.text("filter")];
  return {
    verify: type === undefined ? undefined : { type, secret: await secretOf() },
    message: options.text("message"),
    threadKey: threadKey === "" ? null : threadKey,
    filter: filter === undefined ? undefined : schemaOf(filter),
  };
}

function schemaOf(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`--filter must be JSON, such as '{"required":["issue"]}'.`);
  }
}
