import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import { records, text, textsByKey } from "../read.ts";
import type { MonthlyLimits } from "./workforce.ts";

export type Project = ReturnType<typeof projectOf>;

/** Null: the server's limit of requests, and no limit for workforce agents. */
export interface ProjectLimits extends MonthlyLimits {
  readonly requestsPerMinute: number | null;
}

/** Oldest first. */
export async function listProjects(api: Api): Promise<Project[]> {
  return records(await api.read("GET", "/api/admin/projects"), "projects").map(projectOf);
}

export async function createProject(api: Api, name: string): Promise<Project> {
  return projectOf(await api.read("POST", "/api/admin/projects", { body: { name } }));
}

/** Absent fields stay unchanged. */
export async function updateProject(
  api: Api,
  id: string,
  changes: {
    readonly name?: string;
    readonly limits?: Partial<ProjectLimits>;
    /** Replaces all of them. */
    readonly approvals?: Readonly<Record<string, string>>;
  },
): Promise<Project> {
  return projectOf(
    await api.read("PATCH", `/api/admin/projects/${encodeURIComponent(id)}`, { body: changes }),
  );
}

function projectOf(project: Record<string, unknown>) {
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
    approvals: textsByKey(project.approvals),
  };
}
