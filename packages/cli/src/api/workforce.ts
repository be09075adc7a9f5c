import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import { optionalText, record, records, text, textsByKey } from "../read.ts";

type Json = Readonly<Record<string, unknown>>;

const agentsPath = "/api/admin/workforce/agents";

/** A workforce agent as its managers see it. */
export type HiredAgent = ReturnType<typeof hiredAgentOf>;

/** Null: no limit. */
export interface MonthlyLimits {
  readonly monthlyUsd: number | null;
  readonly monthlyTokens: number | null;
  readonly monthlyRuns: number | null;
}

export async function listPrebuilt(api: Api) {
  return records(await api.read("GET", "/api/admin/workforce/prebuilt"), "prebuilt").map((agent) => ({
    slug: text(agent, "slug"),
    version: Number(agent.version),
    name: text(agent, "name"),
    description: text(agent, "description"),
  }));
}

/** The response is the only one that contains the agent's first key. */
export async function hireAgent(api: Api, request: Json): Promise<{ agent: HiredAgent; key: string }> {
  const body = await api.read("POST", agentsPath, { body: request });
  return { agent: hiredAgentOf(body), key: text(body, "key") };
}

/** The warnings of the response that hired the agent, or has moved it to another version. */
export function warningsOf({ document }: HiredAgent): string[] {
  return Array.isArray(document.warnings)
    ? records(document, "warnings").map((warning) => text(warning, "message"))
    : [];
}

/** Newest first, from all pages. */
export async function listHiredAgents(api: Api): Promise<HiredAgent[]> {
  const agents: HiredAgent[] = [];
  let cursor: string | undefined;
  do {
    const body = await api.read("GET", agentsPath, { query: { limit: "100", cursor } });
    agents.push(...records(body, "agents").map(hiredAgentOf));
    cursor = optionalText(body, "nextCursor");
  } while (cursor !== undefined);
  return agents;
}

export async function getHiredAgent(api: Api, id: string): Promise<HiredAgent> {
  return hiredAgentOf(await api.read("GET", pathOf(id)));
}

/** Absent fields stay unchanged. */
export async function updateHiredAgent(api: Api, id: string, changes: Json): Promise<HiredAgent> {
  return hiredAgentOf(await api.read("PATCH", pathOf(id), { body: changes }));
}

export async function deleteHiredAgent(api: Api, id: string): Promise<Json> {
  return api.read("DELETE", pathOf(id));
}

export async function getQueue(api: Api, id: string) {
  const body = await api.read("GET", `${pathOf(id)}/queue`);
  return {
    current: optionalText(body, "current"),
    queued: records(body, "queued").map((thread) => ({
      threadId: text(thread, "threadId"),
      position: Number(thread.position),
      createdAt: text(thread, "createdAt"),
    })),
  };
}

export type AgentKey = ReturnType<typeof keyOf>;

/** The response is the only one that contains the secret. `expiresAt`: ISO 8601. */
export async function createAgentKey(
  api: Api,
  id: string,
  request: { readonly name: string; readonly expiresAt?: string | undefined },
): Promise<AgentKey & { key: string }> {
  const body = await api.read("POST", `${pathOf(id)}/keys`, { body: request });
  return { ...keyOf(body), key: text(body, "key") };
}

export async function listAgentKeys(api: Api, id: string) {
  return records(await api.read("GET", `${pathOf(id)}/keys`), "keys").map((key) => ({
    ...keyOf(key),
    lastUsedAt: optionalText(key, "lastUsedAt") ?? null,
  }));
}

export async function deleteAgentKey(api: Api, id: string, keyId: string): Promise<Json> {
  return api.read("DELETE", `${pathOf(id)}/keys/${encodeURIComponent(keyId)}`);
}

function pathOf(id: string): string {
  return `${agentsPath}/${encodeURIComponent(id)}`;
}

function keyOf(key: Record<string, unknown>) {
  return {
    id: text(key, "id"),
    name: text(key, "name"),
    createdAt: text(key, "createdAt"),
    expiresAt: optionalText(key, "expiresAt") ?? null,
  };
}

function hiredAgentOf(body: Record<string, unknown>) {
  const { key: _, ...document } = body;
  const computer = record(body.computer);
  const definition = isPlainObject(body.definition) ? body.definition : undefined;
  const limits = isPlainObject(body.limits) ? body.limits : {};
  return {
    id: text(body, "agentId"),
    name: text(body, "name"),
    slug: text(body, "slug"),
    status: text(body, "status"),
    unavailableReason: optionalText(body, "unavailableReason"),
    currentThreadId: optionalText(body, "currentThreadId"),
    queuedThreads: Number(body.queuedThreads),
    computer: {
      ...{ kind: text(computer, "kind"), os: text(computer, "os"), state: text(computer, "state") },
      /** The id of a shared one; absent otherwise. */
      id: optionalText(computer, "id"),
    },
    /** The slug of the pre-built agent, or the id of the project's agent. */
    definition: definition ? text(definition, "slug") : text(body, "definitionId"),
    /** The version that new threads get. */
    definitionVersion: String(body.definitionVersion),
    capabilities: isPlainObject(body.capabilities) ? body.capabilities : {},
    settings: isPlainObject(body.settings) ? body.settings : {},
    limits: {
      monthlyUsd: amountOf(limits.monthlyUsd),
      monthlyTokens: amountOf(limits.monthlyTokens),
      monthlyRuns: amountOf(limits.monthlyRuns),
    },
    approvals: textsByKey(body.approvals),
    createdAt: text(body, "createdAt"),
    /** The whole response, for `--json`. */
    document,
  };
}

function amountOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
