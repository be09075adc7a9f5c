import { slugsOf } from "../../api/agents.ts";
import { listHiredAgents } from "../../api/workforce.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";
import { statusOf } from "../../workforce/show-agent.ts";

const columns = [
  { heading: "SLUG" },
  { heading: "NAME", shrinks: true },
  { heading: "STATUS" },
  { heading: "QUEUED" },
  { heading: "DEFINITION", isOptional: true },
  { heading: "COMPUTER", isOptional: true },
  { heading: "HIRED", isTime: true },
  { heading: "ID", isOptional: true },
];

export const listWorkforce: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the workforce agents of the project, newest first.")
    .action(
      act(async ({ out, api }) => {
        const client = api();
        const agents = await listHiredAgents(client);
        if (out.json) out.document({ agents: agents.map(({ document }) => document) });
        else if (agents.length === 0) {
          out.note("This project has no workforce agents.");
          out.hint({ purpose: "To see which can be hired", args: "workforce prebuilt" });
        } else {
          const slugOf = await slugsOf(
            client,
            agents.map(({ definition }) => definition),
          );
          const rows = agents.map((agent) => [
            ...[agent.slug, agent.name, statusOf(agent), String(agent.queuedThreads)],
            `${slugOf(agent.definition)} ${agent.definitionVersion}`,
            ...[`${agent.computer.kind} ${agent.computer.state}`, agent.createdAt, agent.id],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
