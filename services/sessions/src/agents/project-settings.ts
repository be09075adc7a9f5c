import type { Client } from "@connectrpc/connect";
import type { Bus } from "@muster/events";
import type { McpServer } from "@muster/mcp-client";
import type { ProjectKeys } from "@muster/models";
import type {
  AuthService,
  McpServer as McpServerMessage,
  ResolveProviderKeysResponse,
} from "@muster/proto/auth";
import {
  type ApprovalRules,
  callOptions,
  type createPrincipalSigner,
  monthlyLimits,
  platformPrincipal,
  type SpendingLimits,
} from "@muster/rpc";
import { type Clock, type NewId, Secret } from "@muster/service";
import { LRUCache } from "lru-cache";
import { unavailable } from "../store/refusals/unavailable.ts";
import { readMcpServer } from "./read-mcp-server.ts";

/** An instance that misses the event of a change uses the earlier settings for this long at most, counted from its question. */
const keptMs = 4_000;
/** The steps of a turn that has begun must not ask again and again. A change is announced, and each new turn asks. */
const keptLimitsMs = 60_000;
const maxProjects = 500;
const timeoutMs = 3_000;

/** The settings of projects for their turns, from the auth service. */
export interface ProjectSettingsCache {
  /**
   * Their own keys for model providers. Throws UNAVAILABLE if they are not known: the platform's key must not take the place
   * of one that could exist.
   */
  keysOf(projectId: string): Promise<ProjectKeys>;
  /** Throws UNAVAILABLE if they are not known: a call must not pass by a rule that could exist. */
  toolsOf(projectId: string): Promise<ToolSettings>;
  /** Undefined without limits. Never asks for settings that are less than a minute old. Throws UNAVAILABLE if they are not known. */
  limitsOf(projectId: string): Promise<OwnersLimits | undefined>;
  /** The settings have changed: the next turn asks for them. */
  forget(projectId: string): void;
}

/** The monthly limits for sessions, workers and workforce agents together. */
export interface OwnersLimits {
  /** The project's own. */
  project: SpendingLimits;
  /** The limits of each subject. */
  perSubject: SpendingLimits;
  /** By the ids of its keys that have some. */
  keys: ReadonlyMap<string, SpendingLimits>;
}

interface ProjectSettingsOptions {
  auth: Pick<Client<typeof AuthService>, "resolveProviderKeys">;
  signer: ReturnType<typeof createPrincipalSigner>;
  clock: Clock;
  newId: NewId;
}

/** The servers of a project by their slugs; or why one cannot be used, in a sentence. */
export type ProjectServers = ReadonlyMap<string, McpServer | { problem: string }>;

/** The hosts of a project's HTTP tools. */
export type ToolHosts = ReadonlyMap<string, ToolHost>;

interface ToolHost {
  /** Its results are text of others. */
  isUntrusted: boolean;
  /** Signs the calls, in the form of Standard Webhooks: `whsec_` and base64. Absent: none is set. */
  secret?: Secret | { problem: string };
}

/** The services that may run calls for a project. */
export interface ProjectServices {
  mcpServers: ProjectServers;
  toolHosts: ToolHosts;
}

interface ToolSettings extends ProjectServices {
  /** Their rules of approval. */
  approvals: ApprovalRules;
}

interface Settings extends ToolSettings {
  keys: ProjectKeys;
  limits: OwnersLimits | undefined;
}

interface Entry extends Settings {
  askedAtMs: number;
}

/** Keeps the answers for 4 s. Turns that begin at the same time share one question. */
export function createProjectSettingsCache(options: ProjectSettingsOptions): ProjectSettingsCache {
  const { auth, signer, clock, newId } = options;
  const entries = new LRUCache<string, Entry>({ max: maxProjects });
  const asking = new Map<string, Promise<Settings>>();

  const ask = async (projectId: string): Promise<Entry> => {
    const askedAtMs = clock.monotonicMs();
    const principal = signer.sign(platformPrincipal);
    const call = callOptions({ principal, requestId: newId("req"), timeoutMs });
    try {
      const answer = await auth.resolveProviderKeys({ projectId }, call);
      const keys = readKeys(answer, entries.peek(projectId)?.keys);
      const limits = readOwnersLimits(answer);
      return { keys, limits, approvals: readApprovals(answer), ...readServices(answer), askedAtMs };
    } catch (error) {
      throw unavailable(
        "The project's keys for model providers and its rules of approval could not be read; try again.",
        error,
      );
    }
  };

  const load = (projectId: string): Promise<Settings> => {
    const loading = ask(projectId).then((entry) => {
      // The settings may have changed since the question: then another turn asks again.
      if (asking.get(projectId) === loading) entries.set(projectId, entry);
      return entry;
    });
    asking.set(projectId, loading);
    const done = () => {
      if (asking.get(projectId) === loading) asking.delete(projectId);
    };
    loading.then(done, done);
    return loading;
  };

  const settingsOf = async (projectId: string): Promise<Settings> => {
    const entry = entries.get(projectId);
    if (entry !== undefined && isFresh(entry, clock.monotonicMs())) return entry;
    return asking.get(projectId) ?? load(projectId);
  };

  return {
    keysOf: async (projectId) => (await settingsOf(projectId)).keys,
    toolsOf: settingsOf,
    limitsOf: async (projectId) => {
      const entry = entries.get(projectId);
      if (entry === undefined) return (await settingsOf(projectId)).limits;
      if (clock.monotonicMs() - entry.askedAtMs < keptLimitsMs) return entry.limits;
      // A turn in progress does not end because the auth service restarts.
      return (await settingsOf(projectId).catch(() => entry)).limits;
    },
    forget: (projectId) => {
      entries.delete(projectId);
      asking.delete(projectId);
    },
  };
}

function isFresh({ askedAtMs }: Entry, nowMs: number): boolean {
  return nowMs - askedAtMs < keptMs;
}

/** A key that has not changed stays the same object, so that its models need not be made again. */
function readKeys(
  { providerKeys }: ResolveProviderKeysResponse,
  before: ProjectKeys | undefined,
): ProjectKeys {
  const keys = new Map<string, Secret | { problem: string }>();
  for (const { provider, result } of providerKeys) {
    if (result.case === "key") keys.set(provider, sameOrNew(before?.get(provider), result.value));
    else keys.set(provider, { problem: result.value ?? `The project's key for ${provider} cannot be read.` });
  }
  return keys;
}

function readOwnersLimits({ limits, keyLimits }: ResolveProviderKeysResponse): OwnersLimits | undefined {
  const project = monthlyLimits(limits);
  const perSubject = monthlyLimits({ monthlyUsd: limits?.subjectMonthlyUsd });
  const keys = new Map(Object.entries(keyLimits).map(([id, ofKey]) => [id, monthlyLimits(ofKey)]));
  const isLimited = [project, perSubject].some((each) => Object.keys(each).length > 0) || keys.size > 0;
  return isLimited ? { project, perSubject, keys } : undefined;
}

/** A server whose credentials only a newer auth service knows cannot be used. */
function readServices({ mcpServers, toolHosts, toolSecrets }: ResolveProviderKeysResponse): ProjectServices {
  const secrets = new Map(
    toolSecrets.map(({ host, result: { case: kind, value = "" } }) => [
      host,
      kind === "secret" ? new Secret(value) : { problem: value },
    ]),
  );
  return {
    mcpServers: new Map(
      mcpServers.flatMap(({ mcpServer, problem }) =>
        mcpServer === undefined ? [] : [[mcpServer.slug, problem ? { problem } : readServer(mcpServer)]],
      ),
    ),
    toolHosts: new Map(
      toolHosts.map(({ host, isUntrusted }) => {
        const secret = secrets.get(host);
        return [host, { isUntrusted, ...(secret && { secret }) }];
      }),
    ),
  };
}

function readServer(server: McpServerMessage): McpServer | { problem: string } {
  if (!server.enabled) return { problem: "An administrator has disabled it." };
  return readMcpServer(server) ?? { problem: "This version does not know its kind of credentials." };
}

/** A demand that only a newer auth service knows is the strictest one. */
function readApprovals({ approvals }: ResolveProviderKeysResponse): ApprovalRules {
  const rules = Object.entries(approvals);
  return Object.fromEntries(rules.map(([tool, demand]) => [tool, demand === "ask" ? demand : "deny"]));
}

function sameOrNew(before: Secret | { problem: string } | undefined, value: string): Secret {
  return before instanceof Secret && before.reveal() === value ? before : new Secret(value);
}

/** Makes changes of the settings work at once. Without the event they work when the cached ones expire. */
export async function followProjectEvents({
  bus,
  projectSettings,
}: {
  bus: Bus;
  projectSettings: ProjectSettingsCache;
}): Promise<() => Promise<void>> {
  const subscriptions = await Promise.all(
    (["auth.provider-keys-changed", "auth.project-changed"] as const).map((subject) =>
      bus.subscribe(subject, { broadcast: true }, async ({ projectId }) => projectSettings.forget(projectId)),
    ),
  );
  return async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  };
}
