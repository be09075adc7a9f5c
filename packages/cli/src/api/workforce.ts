import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import { optionalText, record, records, text } from "../read.ts";

type Json = Readonly<Record<string, unknown>>;

const agentsPath = "/api/admin/workforce/agents";

/** A workforce agent as its managers see it. */
export interface HiredAgent {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly unavailableReason: string | undefined;
  readonly currentThreadId: string | undefined;
  readonly queuedThreads: number;
  readonly computer: { readonly kind: string; readonly os: string; readonly state: string };
  /** The pre-built agent that it was hired from, with its version; undefined for another definition. */
  readonly hiredFrom: string | undefined;
  readonly capabilities: Json;
  readonly settings: Json;
  readonly limits: MonthlyLimits;
  readonly createdAt: string;
  /** The whole response, for `--json`. */
  readonly document: Json;
}

/** Null: no limit. */
export interface MonthlyLimits {
  readonly monthlyUsd: number | null;
  readonly monthlyTokens: number | null;
  readonly monthlyRuns: number | null;
}

export interface PrebuiltAgent {
  readonly slug: string;
  readonly version: number;
  readonly name: string;
  readonly description: string;
}

export async function listPrebuilt(api: Api): Promise<PrebuiltAgent[]> {
  const { body } = await api.request("GET", "/api/admin/workforce/prebuilt");
  return records(record(body), "prebuilt").map((agent) => ({
    slug: text(agent, "slug"),
    version: Number(agent.version),
    name: text(agent, "name"),
    description: text(agent, "description"),
  }));
}

/** The response is the only one that contains the agent's first key. */
export async function hireAgent(api: Api, request: Json): Promise<{ agent: HiredAgent; key: string }> {
  const { body } = await api.request("POST", agentsPath, { body: request });
  return { agent: hiredAgentOf(record(body)), key: text(record(body), "key") };
}

/** Newest first, from all pages. */
export async function listHiredAgents(api: Api): Promise<HiredAgent[]> {
  const agents: HiredAgent[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await api.request("GET", agentsPath, { query: { limit: "100", cursor } });
    agents.push(...records(record(body), "agents").map(hiredAgentOf));
    cursor = optionalText(record(body), "nextCursor");
  } while (cursor !== undefined);
  return agents;
}

export async function getHiredAgent(api: Api, id: string): Promise<HiredAgent> {
  return hiredAgentOf(record((await api.request("GET", pathOf(id))).body));
}

/** Absent fields stay unchanged. */
export async function updateHiredAgent(api: Api, id: string, changes: Json): Promise<HiredAgent> {
  return hiredAgentOf(record((await api.request("PATCH", pathOf(id), { body: changes })).body));
}

export async function deleteHiredAgent(api: Api, id: string): Promise<Json> {
  return record((await api.request("DELETE", pathOf(id))).body);
}

export interface Queue {
  readonly current: string | undefined;
  readonly queued: ReadonlyArray<{ threadId: string; position: number; createdAt: string }>;
}

export async function getQueue(api: Api, id: string): Promise<Queue> {
  const body = record((await api.request("GET", `${pathOf(id)}/queue`)).body);
  return {
    current: optionalText(body, "current"),
    queued: records(body, "queued").map((thread) => ({
      threadId: text(thread, "threadId"),
      position: Number(thread.position),
      createdAt: text(thread, "createdAt"),
    })),
  };
}

export interface AgentKey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

/** The response is the only one that contains the secret. `expiresAt`: ISO 8601. */
export async function createAgentKey(
  api: Api,
  id: string,
  request: { readonly name: string; readonly expiresAt?: string | undefined },
): Promise<AgentKey & { key: string }> {
  const body = record((await api.request("POST", `${pathOf(id)}/keys`, { body: request })).body);
  return { ...keyOf(body), key: text(body, "key") };
}

export async function listAgentKeys(
  api: Api,
  id: string,
): Promise<Array<AgentKey & { lastUsedAt: string | null }>> {
  const { body } = await api.request("GET", `${pathOf(id)}/keys`);
  return records(record(body), "keys").map((key) => ({
    ...keyOf(key),
    lastUsedAt: optionalText(key, "lastUsedAt") ?? null,
  }));
}

export async function deleteAgentKey(api: Api, id: string, keyId: string): Promise<Json> {
  return record((await api.request("DELETE", `${pathOf(id)}/keys/${encodeURIComponent(keyId)}`)).body);
}

function pathOf(id: string): string {
  return `${agentsPath}/${encodeURIComponent(id)}`;
}

function keyOf(key: Record<string, unknown>): AgentKey {
  return {
    id: text(key, "id"),
    name: text(key, "name"),
    createdAt: text(key, "createdAt"),
    expiresAt: optionalText(key, "expiresAt") ?? null,
  };
}

function hiredAgentOf(body: Record<string, unknown>): HiredAgent {
  const { key: _, ...document } = body;
  const computer = record(body.computer);
  const definition = isPlainObject(body.definition) ? body.definition : undefined;
  const limits = isPlainObject(body.limits) ? body.limits : {};
  return {
    id: text(body, "agentId"),
    name: text(body, "name"),
    status: text(body, "status"),
    unavailableReason: optionalText(body, "unavailableReason"),
    currentThreadId: optionalText(body, "currentThreadId"),
    queuedThreads: Number(body.queuedThreads),
    computer: { kind: text(computer, "kind"), os: text(computer, "os"), state: text(computer, "state") },
    hiredFrom: definition && `${text(definition, "slug")} ${String(definition.version)}`,
    capabilities: isPlainObject(body.capabilities) ? body.capabilities : {},
    settings: isPlainObject(body.settings) ? body.settings : {},
    limits: {
      monthlyUsd: amountOf(limits.monthlyUsd),
      monthlyTokens: amountOf(limits.monthlyTokens),
      monthlyRuns: amountOf(limits.monthlyRuns),
    },
    createdAt: text(body, "createdAt"),
    document,
  };
}

function amountOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
