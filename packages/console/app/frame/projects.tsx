import type { ProjectList } from "@muster/client";
import { chooseProject, chosenProject, useApi } from "../api.ts";
import { useCredential } from "./credential.ts";

/** The project that the pages show. Only a key of the whole installation can choose. */
export function Projects() {
  const { anyProject, projectId, permissions } = useCredential();
  const isAdmin = permissions.includes("admin");
  const { data } = useApi<ProjectList>(isAdmin ? "/api/admin/projects" : null);
  const projects = data?.projects ?? [];
  const name = projects.find(({ id }) => id === projectId)?.name ?? projectId;
  if (!anyProject || projects.length < 2)
    return <p className="mb-2 truncate px-2.5 text-table text-muted">{name}</p>;
  return (
    <select
      aria-label="Project"
      value={chosenProject ?? projectId}
      onChange={({ target }) => chooseProject(target.value)}
      className="mb-2 h-8 rounded-card border border-line bg-panel px-2 text-table"
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
