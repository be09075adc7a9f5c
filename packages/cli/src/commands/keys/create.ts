import { agentMembers } from "../../api/agents.ts";
import { createKey as create } from "../../api/keys.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { addSpendingOptions, limitsOf } from "../../workforce/options.ts";

export const createKey: AddCommand = (group, act) => {
  const command = group
    .command("create")
    .description("Create an API key. The key is printed once; the server stores only a hash of it.")
    .requiredOption("--name <text>", "Name of the key, such as its purpose")
    .requiredOption(
      "--permission <name...>",
      "Permissions: sessions, agents, mint-tokens, workforce, approve, or admin, which implies all; repeatable",
    )
    .option("--agent <agent>", "Restrict the key to one agent (slug or id); the key begins with svc_agt_")
    .option("--expires <time>", "Expiry time, such as 2030-01-31T12:00:00Z (default: never)")
    .option("--quiet", "Print only the key");
  addSpendingOptions(command, "the key and its tokens")
    .addHelpText(
      "after",
      examples(
        "muster keys create --name CI --permission agents --expires 2030-01-31T00:00:00Z",
        "muster keys create --name Shop --permission sessions --agent support-chat",
        "muster keys create --name Website --permission sessions mint-tokens --agent support-chat --monthly-usd 50",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ out, options, api: connect }) => {
  const api = connect();
  const expires = options.text("expires");
  if (expires !== undefined && Number.isNaN(Date.parse(expires)))
    throw usageError("--expires must be a time, such as 2030-01-31T12:00:00Z.");
  const agent = options.text("agent");
  const limits = limitsOf(options);
  const key = await create(api, {
    name: options.text("name") ?? "",
    permissions: options.texts("permission").flatMap((given) => given.split(",")),
    ...agentMembers(agent),
    expiresAt: expires === undefined ? undefined : new Date(expires).toISOString(),
    ...(Object.keys(limits).length > 0 && { limits }),
  });
  if (out.json) {
    out.document(key);
    return;
  }
  if (!options.flag("quiet")) {
    out.note(
      `Created key ${key.id} (${key.name}) with ${key.permissions.join(", ")} in project ${key.projectId}.`,
    );
    out.note("Copy it now. It cannot be shown again:");
  }
  out.line(key.key);
};
