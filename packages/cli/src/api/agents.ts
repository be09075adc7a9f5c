import type { DefinitionSource } from "@muster/language";
import { isPlainObject } from "@muster/language/json";
import { CliError, type Issue } from "../exit.ts";
import { type Api, type ApiReply, isStatus } from "../http/api.ts";
import { unexpectedResponse } from "../http/problem.ts";
import { integer, optionalText, record, records, text, texts } from "../read.ts";

/** One version of an agent. */
export interface Agent {
  readonly id: string;
  readonly version: number;
  readonly definition: DefinitionSource;
}

export async function listAgents(api: Api) {
  return records(await api.read("GET", "/api/agents"), "agents").map((agent) => ({
    id: text(agent, "id"),
    projectId: text(agent, "projectId"),
    slug: text(agent, "slug"),
    name: text(agent, "name"),
    description: optionalText(agent, "description") ?? null,
    format: text(agent, "format"),
    createdAt: text(agent, "createdAt"),
    updatedAt: text(agent, "updatedAt"),
  }));
}

/** A function from the ids of agents to their slugs. An id stays one if the key may not list agents, or the agent is archived. */
export async function slugsOf(
  api: Api,
  ids: ReadonlyArray<string | null | undefined>,
): Promise<(id: string) => string> {
  if (!ids.some((id) => id?.startsWith("agt_"))) return (id) => id;
  const agents = await listAgents(api).catch((error: unknown) =>
    isStatus(error, 403) ? [] : Promise.reject(error),
  );
  const slugs = new Map(agents.map(({ id, slug }) => [id, slug]));
  return (id) => slugs.get(id) ?? id;
}

/** Newest first. */
export async function listVersions(api: Api, name: string) {
  const body = await api
    .read("GET", `${pathOf(name)}/versions`, { query: { by: byOf(name) } })
    .catch(async (error: unknown) => {
      throw isStatus(error, 404) ? await explainAbsence(api, error, name) : error;
    });
  return records(body, "versions").map((version) => ({
    version: integer(version, "version"),
    createdAt: text(version, "createdAt"),
    /** `created`, or the parts that differ from the previous version. */
    changes: texts(version, "changes"),
  }));
}

/** Returns the latest or a given version. `name` is a slug or an id; only ids contain an underscore. */
export async function getAgent(api: Api, name: string, version?: number): Promise<Agent> {
  const found = await lookUp(api, name, version);
  if (found instanceof CliError) throw found;
  return found;
}

/** Returns undefined if the agent does not exist in the project. */
export async function findAgent(api: Api, name: string): Promise<Agent | undefined> {
  const found = await lookUp(api, name);
  return found instanceof CliError ? undefined : found;
}

/** Returns the agent or the reason why it was not found. Rejects if the address or the project does not exist. */
async function lookUp(api: Api, name: string, version?: number): Promise<Agent | CliError> {
  const query = { by: byOf(name), version: version?.toString() };
  try {
    const reply = await api.request("GET", pathOf(name), { query });
    const body = record(reply.body);
    return { id: text(body, "id"), version: versionOf(api, reply), definition: definitionOf(body) };
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
    return explainAbsence(api, error, name, version);
  }
}

/** Rejects if the address or the project does not exist: then the agent is not the problem. */
async function explainAbsence(
  api: Api,
  refusal: CliError,
  name: string,
  version?: number,
): Promise<CliError> {
  await api.request("GET", "/api/agents");
  const [message, hint] =
    version === undefined
      ? [
          `Agent ${name} does not exist in this project.`,
          { purpose: "To list the agents", args: "agents list" },
        ]
      : [
          `Version ${version} of agent ${name} does not exist in this project.`,
          { purpose: "To list its versions", args: `agents versions ${name}` },
        ];
  const { exitCode, code, requestId, status } = refusal;
  return new CliError(exitCode, code, message, { requestId, status, hint });
}

/** Creates an agent at version 1. */
export async function createAgent(
  api: Api,
  definition: DefinitionSource,
): Promise<{ id: string; version: number }> {
  const reply = await api.request("POST", "/api/agents", { body: definition });
  return { id: text(record(reply.body), "agentId"), version: versionOf(api, reply) };
}

/** Replaces everything but the slug if the agent is still at that version. Returns the new version. */
export async function updateAgent(api: Api, agent: Agent, definition: DefinitionSource): Promise<number> {
  const { settings, protocol, prompts, references } = definition;
  const { name, description = "", format } = settings;
  const reply = await api.request("PATCH", pathOf(agent.id), {
    headers: { "if-match": `"${agent.version}"` },
    body: { settings: { name, description, format }, protocol, prompts, references },
  });
  return versionOf(api, reply);
}

export async function archiveAgent(api: Api, name: string): Promise<{ id: string }> {
  return { id: text(await api.read("DELETE", pathOf(name), { query: { by: byOf(name) } }), "agentId") };
}

/** Returns the issues that the server finds in a definition, without storing it. */
export async function validateAgent(api: Api, definition: DefinitionSource): Promise<Issue[]> {
  return records(await api.read("POST", "/api/agents/validate", { body: definition }), "issues").map(
    (issue) => ({
      path: text(issue, "path"),
      message: text(issue, "message"),
      code: text(issue, "code"),
      severity: text(issue, "severity"),
    }),
  );
}

/** `name` is a slug or an id. */
export function pathOf(name: string): string {
  return `/api/agents/${encodeURIComponent(name)}`;
}

/** The query parameter `by` for a slug or an id. */
export function byOf(name: string): "slug" | undefined {
  return name.includes("_") ? undefined : "slug";
}

/** The members of a body or a query for a slug or an id. */
export function agentMembers(name: string | undefined): { agentId?: string; agentSlug?: string } {
  if (name === undefined) return {};
  return byOf(name) === "slug" ? { agentSlug: name } : { agentId: name };
}

function versionOf(api: Api, { header }: ApiReply): number {
  const tag = /^(?:W\/)?"(\d{1,9})"$/.exec(header("etag") ?? "")?.[1];
  if (tag === undefined) throw unexpectedResponse(api.url, "the ETag of an agent is not a version number");
  return Number(tag);
}

/** The definition in a body. */
export function definitionOf(body: Record<string, unknown>): DefinitionSource {
  const settings = isPlainObject(body.settings) ? body.settings : {};
  const description = optionalText(settings, "description");
  const format = text(settings, "format") === "worker" ? "worker" : "interactive";
  return {
    settings: {
      slug: text(settings, "slug"),
      name: text(settings, "name"),
      ...(description === undefined ? {} : { description }),
      format,
    },
    protocol: text(body, "protocol"),
    prompts: records(body, "prompts").map((prompt) => ({
      name: text(prompt, "name"),
      content: text(prompt, "content"),
    })),
    references: records(body, "references").map((reference) => ({
      name: text(reference, "name"),
      description: text(reference, "description"),
      content: text(reference, "content"),
    })),
  };
}
