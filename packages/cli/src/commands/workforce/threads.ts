import { listThreads } from "../../api/threads.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { defaultLimit } from "../../options.ts";
import { showTable } from "../../show-table.ts";
import { findWork } from "../../workforce/find-work.ts";

const columns = [
  { heading: "ID" },
  { heading: "TITLE", shrinks: true },
  { heading: "STATUS" },
  { heading: "STARTED", isTime: true },
  { heading: "COMPLETED", isTime: true, isOptional: true },
];

export const workforceThreads: AddCommand = (group, act) => {
  group
    .command("threads")
    .description("List the threads of a workforce agent, newest first.")
    .argument("<agent>", "Name, slug or id of the agent")
    .option("--limit <count>", `Maximum number of threads to list (default: ${defaultLimit})`)
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, out, options } = invocation;
  const limit = options.limit();
  const { threads, hasMore } = await listThreads(await findWork(invocation, args[0] ?? ""), limit);
  if (out.json) out.document({ threads, hasMore });
  else if (threads.length === 0) out.note("No threads found.");
  else {
    const rows = threads.map(({ threadId, title, status, createdAt, completedAt }) => [
      ...[threadId, title, status, createdAt, completedAt ?? "-"],
    ]);
    showTable(out, columns, rows);
    if (hasMore) out.note("There are more threads; list them with a larger --limit.");
  }
};
