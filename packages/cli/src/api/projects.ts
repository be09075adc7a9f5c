import type { Api } from "../http/api.ts";
import { record, records, text } from "../read.ts";

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

/** Oldest first. */
export async function listProjects(api: Api): Promise<Project[]> {
  const { body } = await api.request("GET", "/api/admin/projects");
  return records(record(body), "projects").map(projectOf);
}

export async function createProject(api: Api, name: string): Promise<Project> {
  const { body } = await api.request("POST", "/api/admin/projects", { body: { name } });
  return projectOf(record(body));
}

function projectOf(project: Record<string, unknown>): Project {
  return { id: text(project, "id"), name: text(project, "name"), createdAt: text(project, "createdAt") };
}
