import type { Api } from "../http/api.ts";
import { record, records, text, textsByKey } from "../read.ts";
import { limitIn, type SpendingLimits } from "./keys.ts";

export type Project = ReturnType<typeof projectOf>;

/** Null: the server's limit of requests, and no other limit. */
export interface ProjectLimits extends SpendingLimits {
  readonly requestsPerMinute: number | null;
  /** The limits of its workforce agents alone. */
  readonly workforceMonthlyUsd: number | null;
  readonly workforceMonthlyTokens: number | null;
  readonly workforceMonthlyRuns: number | null;
  /** The limit of each subject. */
  readonly perSubject: { readonly monthlyUsd: number | null };
}

/** A host on which the platform may call HTTP tools. */
export interface ToolHost {
  readonly host: string;
  /** Models must not trust its results. */
  readonly untrusted: boolean;
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
    /** Replaces all of them. */
    readonly toolHosts?: readonly ToolHost[];
  },
): Promise<Project> {
  return projectOf(
    await api.read("PATCH", `/api/admin/projects/${encodeURIComponent(id)}`, { body: changes }),
  );
}

/** The project of the command, which the server knows if no option names it. */
export async function getProjectId(api: Api): Promise<string> {
  return text(await api.read("GET", "/api/credential"), "projectId");
}

function projectOf(project: Record<string, unknown>) {
  const limit = (name: Exclude<keyof ProjectLimits, "perSubject">) => limitIn(project, name);
  const { perSubject } = record(project.limits);
  return {
    id: text(project, "id"),
    name: text(project, "name"),
    createdAt: text(project, "createdAt"),
    limits: {
      requestsPerMinute: limit("requestsPerMinute"),
      monthlyUsd: limit("monthlyUsd"),
      monthlyTokens: limit("monthlyTokens"),
      workforceMonthlyUsd: limit("workforceMonthlyUsd"),
      workforceMonthlyTokens: limit("workforceMonthlyTokens"),
      workforceMonthlyRuns: limit("workforceMonthlyRuns"),
      perSubject: { monthlyUsd: limitIn({ limits: perSubject }, "monthlyUsd") },
    },
    approvals: textsByKey(project.approvals),
    /** None if they are absent, as in responses of earlier releases. */
    toolHosts: (project.toolHosts === undefined ? [] : records(project, "toolHosts")).map(toolHostOf),
  };
}

function toolHostOf(entry: Record<string, unknown>): ToolHost {
  return { host: text(entry, "host"), untrusted: entry.untrusted === true };
}
