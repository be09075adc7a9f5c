import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import { record, records, text } from "../read.ts";
import type { MonthlyLimits } from "./workforce.ts";

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly limits: ProjectLimits;
}

/** Null: the server's limit of requests, and no limit for workforce agents. */
export interface ProjectLimits extends MonthlyLimits {
  readonly requestsPerMinute: number | null;
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

/** Absent fields stay unchanged. */
export async function updateProject(
  api: Api,
  id: string,
  changes: { readonly name?: string; readonly limits?: Partial<ProjectLimits> },
): Promise<Project> {
  const path = `/api/admin/projects/${encodeURIComponent(id)}`;
  return projectOf(record((await api.request("PATCH", path, { body: changes })).body));
}

function projectOf(project: Record<string, unknown>): Project {
  // Absent in responses of earlier releases.
  const limits = isPlainObject(project.limits) ? project.limits : {};
  const limit = (name: keyof ProjectLimits) => {
    const value = limits[name];
    return typeof value === "number" ? value : null;
  };
  return {
    id: text(project, "id"),
    name: text(project, "name"),
    createdAt: text(project, "createdAt"),
    limits: {
      requestsPerMinute: limit("requestsPerMinute"),
      monthlyUsd: limit("monthlyUsd"),
      monthlyTokens: limit("monthlyTokens"),
      monthlyRuns: limit("monthlyRuns"),
    },
  };
}
