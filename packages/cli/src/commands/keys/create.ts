import { createKey as create } from "../../api/keys.ts";
import { exitCodes, usageError } from "../../exit.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const createKey: AddCommand = (group, act) => {
  group
    .command("create")
    .description("Makes a key. Standard output gets the key alone, this once; the server keeps a hash.")
    .requiredOption("--name <text>", "what it is for")
    .requiredOption(
      "--permission <name...>",
      "sessions, agents, mint-tokens, workforce, admin; may be repeated",
    )
    .option("--agent <id>", "the only agent that it may use")
    .option("--expires <time>", "when it stops working, such as 2030-01-31T12:00:00Z")
    .option("--quiet", "print nothing but the key")
    .action(act(handle));
};

const handle: Handler = async ({ out, options, api }) => {
  const expires = options.text("expires");
  if (expires !== undefined && Number.isNaN(Date.parse(expires)))
    throw usageError("--expires must be a time, such as 2030-01-31T12:00:00Z.");
  const key = await create(api(), {
    name: options.text("name") ?? "",
    permissions: options.texts("permission").flatMap((given) => given.split(",")),
    agentId: options.text("agent"),
    expiresAt: expires === undefined ? undefined : new Date(expires).toISOString(),
  });
  if (out.json) {
    out.document(key);
    return exitCodes.fine;
  }
  if (!options.flag("quiet")) {
    out.note(`Made the key ${key.id} (${key.name}) for ${key.permissions.join(", ")} in ${key.projectId}.`);
    out.note("It is shown now and never again:");
  }
  out.line(key.key);
  return exitCodes.fine;
};
