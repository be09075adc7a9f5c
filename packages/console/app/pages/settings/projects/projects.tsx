import type { Project, ProjectList } from "@muster/client";
import { Plus } from "lucide-react";
import { useCredential } from "../../../frame/credential.ts";
import { useFilters } from "../../../frame/use-filters.ts";
import { Button } from "../../../parts/button.tsx";
import { money } from "../../../parts/format.ts";
import { List } from "../../../parts/list.tsx";
import { Split } from "../../../parts/split.tsx";
import { When } from "../../../parts/when.tsx";
import { CreateProject } from "./create-project.tsx";
import { ProjectDetails } from "./project-details.tsx";

const limitOf = ({ limits }: Project) =>
  limits.monthlyUsd === null ? "no limit" : `${money(limits.monthlyUsd)} a month`;

export function Projects() {
  const [{ project }, setFilters] = useFilters("project");
  const { anyProject } = useCredential();
  const close = () => setFilters({ project: undefined });
  return (
    <Split
      details={
        project === "new" ? (
          <CreateProject onClose={close} onCreated={({ id }) => setFilters({ project: id })} />
        ) : (
          project !== undefined && <ProjectDetails key={project} id={project} onClose={close} />
        )
      }
    >
      <div className="flex items-center gap-3">
        <p className="flex-1 text-muted">
          Agents, sessions and keys of a project are invisible in all others.
        </p>
        {anyProject && (
          <Button
            look="primary"
            icon={<Plus size={14} aria-hidden="true" />}
            onClick={() => setFilters({ project: "new" })}
          >
            New project
          </Button>
        )}
      </div>
      <List<ProjectList, Project>
        label="Projects"
        path="/api/admin/projects"
        rowsOf={({ projects }) => projects}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/settings/projects", search: { project: id } })}
        columns={[
          { title: "Project", cell: ({ name }) => name },
          { title: "Models", width: "10rem", cell: limitOf },
          {
            ...{ title: "Approval rules", width: "8rem", isNumber: true },
            cell: ({ approvals }) => Object.keys(approvals).length,
          },
          { title: "Tool hosts", width: "6rem", isNumber: true, cell: ({ toolHosts }) => toolHosts.length },
          {
            title: "Created",
            width: "7rem",
            isNumber: true,
            cell: ({ createdAt }) => <When at={createdAt} />,
          },
        ]}
        second={(row) => (
          <>
            {limitOf(row)} · created <When at={row.createdAt} />
          </>
        )}
      />
    </Split>
  );
}
