import { listProjects as fetchProjects } from "../../api/projects.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

export const listProjects: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the projects, oldest first.")
    .action(
      act(async ({ out, api }) => {
        const projects = await fetchProjects(api());
        if (out.json) out.document({ projects });
        else
          showTable(
            out,
            [
              { heading: "ID" },
              { heading: "NAME", shrinks: true },
              { heading: "REQUESTS/MIN" },
              { heading: "CREATED", isTime: true },
            ],
            projects.map(({ id, name, createdAt, limits }) => [
              id,
              name,
              String(limits.requestsPerMinute ?? "-"),
              createdAt,
            ]),
          );
      }),
    );
};
