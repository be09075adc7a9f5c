import { createAgentKey } from "../../../api/workforce.ts";
import { usageError } from "../../../exit.ts";
import { examples } from "../../../help.ts";
import type { AddCommand, Handler } from "../../../invocation.ts";
import { findHiredAgent } from "../../../workforce/find-hired-agent.ts";

export const createWorkforceKey: AddCommand = (group, act) => {
  group
    .command("create")
    .description("Create a key of a workforce agent, which can use this agent and nothing else.")
    .argument("<agent>", "Name, slug or id of the agent")
    .requiredOption("--name <text>", "Name of the key, such as its purpose")
    .option("--expires <time>", "Expiry time, such as 2030-01-31T12:00:00Z (default: never)")
    .option("--quiet", "Print only the key")
    .addHelpText("after", examples('muster workforce keys create Lou --name "Nightly build"'))
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api: connect }) => {
  const expires = options.text("expires");
  if (expires !== undefined && Number.isNaN(Date.parse(expires)))
    throw usageError("--expires must be a time, such as 2030-01-31T12:00:00Z.");
  const api = connect();
  const agent = await findHiredAgent(api, args[0] ?? "");
  const key = await createAgentKey(api, agent.id, {
    name: options.text("name") ?? "",
    expiresAt: expires === undefined ? undefined : new Date(expires).toISOString(),
  });
  if (out.json) {
    out.document(key);
    return;
  }
  if (!options.flag("quiet")) {
    out.note(`Created key ${key.id} (${key.name}) of ${agent.name} (${agent.id}).`);
    out.note("Copy it now. It cannot be shown again:");
  }
  out.line(key.key);
};
