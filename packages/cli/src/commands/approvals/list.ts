import { slugsOf } from "../../api/agents.ts";
import { listApprovals as fetchApprovals } from "../../api/approvals.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { defaultLimit } from "../../options.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "ID" },
  { heading: "CALL", shrinks: true },
  { heading: "STATUS" },
  { heading: "ASKED", isTime: true },
  { heading: "EXPIRES", isTime: true, isOptional: true },
  { heading: "OF" },
  { heading: "AGENT", isOptional: true },
];

export const listApprovals: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the tool calls that wait for a decision, newest first.")
    .option("--status <status>", "pending, approved, denied, expired, cancelled, or all (default: pending)")
    .option("--agent <id>", "Only calls of this agent or workforce agent, by its id")
    .option("--session <id>", "Only calls of this session")
    .option("--thread <id>", "Only calls of this workforce thread")
    .option("--limit <count>", `Maximum number of calls to list (default: ${defaultLimit})`)
    .addHelpText("after", examples("muster approvals list", "muster approvals list --status all --limit 100"))
    .action(act(handle));
};

const handle: Handler = async ({ out, options, api }) => {
  const status = options.text("status") ?? "pending";
  const filter = {
    ...(status !== "all" && { status }),
    agentId: options.text("agent"),
    sessionId: options.text("session"),
    threadId: options.text("thread"),
  };
  const limit = options.limit();
  const client = api();
  const { approvals, hasMore } = await fetchApprovals(client, filter, limit);
  if (out.json) out.document({ approvals: approvals.map(({ document }) => document), hasMore });
  else if (approvals.length === 0) out.note("No calls found.");
  else {
    const slugOf = await slugsOf(
      client,
      approvals.map(({ agentId }) => agentId),
    );
    const rows = approvals.map(({ id, title, toolName, status, createdAt, expiresAt, place, agentId }) => [
      ...[id, title ?? toolName, status, createdAt, expiresAt, place, slugOf(agentId)],
    ]);
    showTable(out, columns, rows);
    if (hasMore) out.note("There are more calls; list them with a larger --limit.");
  }
};
