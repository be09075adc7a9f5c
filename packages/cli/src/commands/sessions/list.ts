import { agentMembers, slugsOf } from "../../api/agents.ts";
import { listSessions } from "../../api/sessions.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { collect, defaultLimit, type Options } from "../../options.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "ID" },
  { heading: "TITLE", shrinks: true },
  { heading: "MESSAGES" },
  { heading: "STATUS" },
  { heading: "UPDATED", isTime: true },
  { heading: "AGENT", isOptional: true },
  { heading: "METADATA", isOptional: true },
];

export const listSessionsCommand: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List sessions, the most recently changed first.")
    .option("--agent <name>", "Only sessions of this agent, by its slug or id")
    .option("--status <status>", "Only sessions that are active, or expired")
    .option("--metadata <KEY=VALUE>", "Only sessions whose metadata has this value; repeatable", collect)
    .option("--limit <count>", `Maximum number of sessions to list (default: ${defaultLimit})`)
    .addHelpText("after", examples("muster sessions list --agent support-chat --metadata customer=c-1042"))
    .action(
      act(async ({ out, options, api }) => {
        const filter = { status: options.text("status"), ...metadataFilter(options) };
        const limit = options.limit();
        const agent = agentMembers(options.text("agent"));
        const client = api();
        const { sessions, hasMore } = await listSessions(client, { ...agent, ...filter }, limit);
        if (out.json) out.document({ sessions, hasMore });
        else if (sessions.length === 0) out.note("No sessions found.");
        else {
          const slugOf = await slugsOf(
            client,
            sessions.map(({ agentId }) => agentId),
          );
          const rows = sessions.map(
            ({ sessionId, title, messageCount, status, updatedAt, agentId, metadata }) => [
              sessionId,
              title ?? "",
              String(messageCount),
              status,
              updatedAt,
              slugOf(agentId),
              Object.entries(metadata)
                .map(([key, value]) => `${key}=${String(value)}`)
                .join(" "),
            ],
          );
          showTable(out, columns, rows);
          if (hasMore) out.note("There are more sessions; list them with a larger --limit.");
        }
      }),
    );
};

function metadataFilter(options: Options): Record<string, string> {
  const filter = new Map<string, string>();
  for (const pair of options.texts("metadata")) {
    const [, key, value] = /^([^=]+)=([\s\S]+)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined)
      throw usageError(`--metadata must be KEY=VALUE, such as plan=free, not ${JSON.stringify(pair)}.`);
    const name = `metadata.${key}`;
    if (filter.has(name)) throw usageError(`--metadata sets ${key} more than once.`);
    filter.set(name, value);
  }
  return Object.fromEntries(filter);
}
