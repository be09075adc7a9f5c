import type { JsonObject, JsonValue } from "@muster/language";
import { isPlainObject } from "@muster/language/json";

/** A setting of a resource, by its name in the file. */
export interface Field {
  /** The value of an absent field. Without it, the field is required, unless it is `optional`. */
  readonly default?: JsonValue;
  /** Absent means not set; it is never reset by itself. */
  readonly optional?: true;
  /** It cannot change once the resource exists. */
  readonly fixed?: true;
  /** The only members of an object. */
  readonly members?: readonly string[];
  /** Changes one by one: members that are absent are reset. */
  readonly resets?: true;
  /** Members that the file does not list stay unchanged. */
  readonly partial?: true;
  /** The order of its items says nothing. */
  readonly isSet?: true;
  /** JSON of which each null and each empty part counts. */
  readonly verbatim?: true;
  /** The members that are secrets: files only refer to them. */
  readonly secrets?: "all" | readonly string[];
  /** Fields with secrets that a change has to send again. */
  readonly resends?: readonly string[];
}

/** Turns ids into names such as `workforce/lou`, or back. Others stay unchanged. */
export type Translate = (text: string) => string;

/** One kind of resource. */
export interface Kind {
  /** For users. */
  readonly label: string;
  /** Its section in the file. Names of resources begin with it. */
  readonly section: string;
  /** The section of the resource that contains it. */
  readonly parent?: string;
  /** Where it is listed and created. `parentId` is set if it has a parent. */
  readonly path: (parentId: string) => string;
  /** The member of the list. */
  readonly list: string;
  /** The member that names it. */
  readonly name: "slug" | "name";
  readonly id: "id" | "agentId";
  readonly fields: Readonly<Record<string, Field>>;
  /** The fields of a response, as in the file. */
  readonly toFile: (item: JsonObject, nameOf: Translate, place: string) => JsonObject;
  /** Fields of the file, as in a request. */
  readonly toBody?: (fields: JsonObject, idOf: Translate) => JsonObject;
}

const monthly = ["monthlyUsd", "monthlyTokens", "monthlyRuns"];
const runSettings = ["model", "backupModel", "thinking", "capabilities", "record"];
const config: Field = { default: {}, members: runSettings };
const enabled: Field = { default: true };

/** A reference to a secret, which no response contains: its value comes from an environment variable. */
export const secretRef = (...words: string[]): JsonObject => ({
  secretRef: `env:${words
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replace(/^\d/, "_$&")}`,
});

const secretOfAuth: Readonly<Record<string, string>> = {
  bearer: "token",
  header: "value",
  "client-credentials": "clientSecret",
  "private-key-jwt": "privateKey",
};

const objectOf = (value: JsonValue | undefined): JsonObject => (isPlainObject(value) ? value : {});
const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** `agent` instead of `agentId`. */
function withAgentName({ agentId, ...fields }: JsonObject, nameOf: Translate): JsonObject {
  return agentId == null ? fields : { ...fields, agent: nameOf(textOf(agentId)) };
}

function withAgentId({ agent, ...fields }: JsonObject, idOf: Translate): JsonObject {
  if (agent === undefined) return fields;
  return { ...fields, agentId: agent === null ? null : idOf(textOf(agent)) };
}

/** Every kind, each after those that it needs. */
export const kinds: readonly Kind[] = [
  {
    ...{ label: "MCP server", section: "mcpServers", list: "mcpServers", name: "slug", id: "id" },
    path: () => "/api/admin/mcp-servers",
    fields: {
      url: { resends: ["auth", "headers"] },
      auth: {
        default: { type: "none" },
        members: ["type", "name", "clientId", "issuer", "scope", "algorithm", ...Object.values(secretOfAuth)],
        secrets: Object.values(secretOfAuth),
      },
      headers: { default: {}, secrets: "all" },
      tools: { default: null },
      idleTimeoutMs: { default: 60_000 },
      timeoutMs: { default: 600_000 },
      enabled,
    },
    toFile: ({ headerNames, auth, ...fields }, _nameOf, place) => {
      const secret = secretOfAuth[textOf(objectOf(auth).type)];
      const names = Array.isArray(headerNames) ? headerNames.map(textOf) : [];
      return {
        ...fields,
        auth: { ...objectOf(auth), ...(secret !== undefined && { [secret]: secretRef(place, secret) }) },
        headers: Object.fromEntries(names.map((name) => [name, secretRef(place, name)])),
      };
    },
  },
  {
    ...{ label: "agent", section: "agents", list: "agents", name: "slug", id: "id" },
    path: () => "/api/agents",
    fields: {
      ...{ name: {}, description: { default: "" }, format: {}, protocol: {} },
      ...{ prompts: { default: [], isSet: true }, references: { default: [], isSet: true } },
    },
    toFile: ({ settings, ...parts }) => ({ ...objectOf(settings), ...parts }),
    toBody: ({ slug, name, description, format, ...parts }) => {
      const given = Object.entries({ slug, name, description, format });
      const settings = Object.fromEntries(
        given.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
      );
      return { ...(Object.keys(settings).length > 0 && { settings }), ...parts };
    },
  },
  {
    ...{ label: "workforce agent", section: "workforce", list: "agents", name: "slug", id: "agentId" },
    path: () => "/api/admin/workforce/agents",
    fields: {
      definition: { fixed: true },
      name: {},
      computer: { default: { kind: "sandbox", os: "linux" }, fixed: true, members: ["kind", "os"] },
      computerId: { optional: true, fixed: true },
      input: { default: {}, fixed: true, verbatim: true },
      settings: config,
      capabilities: { default: {}, partial: true },
      limits: { default: {}, members: monthly, resets: true },
      approvals: { default: {} },
      paused: { default: false },
    },
    toFile: ({ definition, definitionId, computer, ...fields }, nameOf) => {
      const { id, kind = "", os = "" } = objectOf(computer);
      return {
        ...fields,
        definition:
          definitionId == null
            ? `prebuilt/${textOf(objectOf(definition).slug)}`
            : nameOf(textOf(definitionId)),
        ...(id === undefined ? { computer: { kind, os } } : { computerId: id }),
      };
    },
    toBody: ({ definition, ...fields }, idOf) => {
      const [, prebuilt] = /^prebuilt\/(.+)$/.exec(textOf(definition)) ?? [];
      if (prebuilt !== undefined) return { ...fields, prebuilt };
      return definition === undefined ? fields : { ...fields, agentId: idOf(textOf(definition)) };
    },
  },
  {
    ...{ label: "schedule", section: "schedules", parent: "workforce", list: "schedules", id: "id" },
    name: "slug",
    path: (agentId) => `/api/admin/workforce/agents/${agentId}/schedules`,
    fields: {
      ...{ name: {}, cron: { optional: true }, at: { optional: true }, timezone: {}, message: {} },
      ...{ config, overlap: { default: "skip" }, misfire: { default: "skip" } },
      ...{ misfireWindowMs: { default: null }, jitterMs: { default: 0 }, enabled },
    },
    toFile: (fields) => fields,
  },
  {
    ...{ label: "hook", section: "hooks", parent: "workforce", list: "hooks", name: "slug", id: "id" },
    path: (agentId) => `/api/admin/workforce/agents/${agentId}/hooks`,
    fields: {
      ...{ name: {}, verify: { members: ["type", "secret"], secrets: ["secret"] }, message: {} },
      ...{ filter: { default: null, verbatim: true }, threadKey: { default: null }, config, enabled },
    },
    toFile: ({ verify, ...fields }, _nameOf, place) => ({
      ...fields,
      verify: { type: objectOf(verify).type ?? "", secret: secretRef(place, "secret") },
    }),
  },
  {
    ...{ label: "webhook", section: "webhooks", list: "webhooks", name: "slug", id: "id" },
    path: () => "/api/admin/webhooks",
    fields: {
      ...{ url: {}, events: { isSet: true }, agent: { default: null }, description: { default: null } },
      enabled,
    },
    toFile: withAgentName,
    toBody: withAgentId,
  },
  {
    ...{ label: "identity provider", section: "identityProviders", list: "identityProviders", id: "id" },
    name: "name",
    path: () => "/api/admin/identity-providers",
    fields: {
      ...{ issuer: { fixed: true }, jwksUri: { default: null }, maxLifetimeSeconds: { default: 3_600 } },
      algorithms: { default: ["RS256", "ES256"], isSet: true },
      conditions: {},
      scope: { members: ["agent", "agentClaim", "sessionId", "sessionClaim", "subjectClaim"] },
    },
    toFile: ({ scope, ...fields }, nameOf) => ({ ...fields, scope: withAgentName(objectOf(scope), nameOf) }),
    toBody: ({ scope, ...fields }, idOf) =>
      scope === undefined ? fields : { ...fields, scope: withAgentId(objectOf(scope), idOf) },
  },
  {
    ...{ label: "project", section: "project", list: "projects", name: "slug", id: "id" },
    path: () => "/api/admin/projects",
    fields: {
      limits: {
        default: {},
        members: [
          ...["requestsPerMinute", "monthlyUsd", "monthlyTokens", "perSubject"],
          ...["workforceMonthlyUsd", "workforceMonthlyTokens", "workforceMonthlyRuns"],
        ],
        resets: true,
      },
      approvals: { default: {} },
      toolHosts: { default: [], isSet: true },
    },
    toFile: ({ toolHosts, ...fields }) => ({
      ...fields,
      toolHosts: (Array.isArray(toolHosts) ? toolHosts : []).map((entry) => {
        const { host = "", untrusted = false } = objectOf(entry);
        return untrusted === true ? { host, untrusted } : { host };
      }),
    }),
  },
];

/** The kind with this section. */
export function kindOf(section: string): Kind {
  const kind = kinds.find((each) => each.section === section);
  if (kind === undefined) throw new Error(`no resources are in the section ${section}`);
  return kind;
}
