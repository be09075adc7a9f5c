import { getQueue } from "../../api/workforce.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";

const columns = [{ heading: "POSITION" }, { heading: "THREAD" }, { heading: "STARTED", isTime: true }];

export const workforceQueue: AddCommand = (group, act) => {
  group
    .command("queue")
    .description("Show the current thread of a workforce agent and those that wait, in their order.")
    .argument("<agent>", "Name, slug or id of the agent")
    .action(
      act(async ({ args, out, api: connect }) => {
        const api = connect();
        const { id } = await findHiredAgent(api, args[0] ?? "");
        const { current, queued } = await getQueue(api, id);
        if (out.json) out.document({ current: current ?? null, queued });
        else if (current === undefined && queued.length === 0) out.note("The agent has no work.");
        else {
          const rows = queued.map(({ position, threadId, createdAt }) => [
            ...[String(position), threadId, createdAt],
          ]);
          showTable(out, columns, current === undefined ? rows : [["now", current, "-"], ...rows]);
        }
      }),
    );
};
