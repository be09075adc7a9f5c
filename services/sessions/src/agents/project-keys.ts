import type { Client } from "@connectrpc/connect";
import type { Bus } from "@muster/events";
import type { ProjectKeys } from "@muster/models";
import type { AuthService, ResolveProviderKeysResponse } from "@muster/proto/auth";
import { callOptions, type createPrincipalSigner, platformPrincipal } from "@muster/rpc";
import { type Clock, type NewId, Secret } from "@muster/service";
import { LRUCache } from "lru-cache";
import { unavailable } from "../store/refusals/unavailable.ts";

/** An instance that misses the event of a change uses the earlier keys for this long at most, counted from its question. */
const keptMs = 4_000;
const maxProjects = 500;
const timeoutMs = 3_000;

/** The projects' own keys for model providers, from the auth service. */
export interface ProjectKeyCache {
  /**
   * Throws UNAVAILABLE if the keys are not known: the platform's key must not take the place of one that could exist.
   */
  of(projectId: string): Promise<ProjectKeys>;
  /** The keys have changed: the next turn asks for them. */
  forget(projectId: string): void;
}

interface ProjectKeyOptions {
  auth: Pick<Client<typeof AuthService>, "resolveProviderKeys">;
  signer: ReturnType<typeof createPrincipalSigner>;
  clock: Clock;
  newId: NewId;
}

interface Entry {
  keys: ProjectKeys;
  askedAtMs: number;
}

/** Keeps the answers for 4 s. Turns that begin at the same time share one question. */
export function createProjectKeyCache({ auth, signer, clock, newId }: ProjectKeyOptions): ProjectKeyCache {
  const entries = new LRUCache<string, Entry>({ max: maxProjects });
  const asking = new Map<string, Promise<ProjectKeys>>();

  const ask = async (projectId: string): Promise<Entry> => {
    const askedAtMs = clock.monotonicMs();
    const principal = signer.sign(platformPrincipal);
    const options = callOptions({ principal, requestId: newId("req"), timeoutMs });
    try {
      const answer = await auth.resolveProviderKeys({ projectId }, options);
      return { keys: readKeys(answer, entries.peek(projectId)?.keys), askedAtMs };
    } catch (error) {
      throw unavailable("The project's keys for model providers could not be read; try again.", error);
    }
  };

  const load = (projectId: string): Promise<ProjectKeys> => {
    const loading = ask(projectId).then((entry) => {
      // The keys may have changed since the question: then another turn asks again.
      if (asking.get(projectId) === loading) entries.set(projectId, entry);
      return entry.keys;
    });
    asking.set(projectId, loading);
    const done = () => {
      if (asking.get(projectId) === loading) asking.delete(projectId);
    };
    loading.then(done, done);
    return loading;
  };

  return {
    of: async (projectId) => {
      const entry = entries.get(projectId);
      if (entry !== undefined && isFresh(entry, clock.monotonicMs())) return entry.keys;
      return asking.get(projectId) ?? load(projectId);
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

function sameOrNew(before: Secret | { problem: string } | undefined, value: string): Secret {
  return before instanceof Secret && before.reveal() === value ? before : new Secret(value);
}

/** Makes changes of provider keys work at once. Without the event they work when the cached ones expire. */
export async function followKeyEvents({
  bus,
  projectKeys,
}: {
  bus: Bus;
  projectKeys: ProjectKeyCache;
}): Promise<() => Promise<void>> {
  const subscription = await bus.subscribe(
    "auth.provider-keys-changed",
    { broadcast: true },
    async ({ projectId }) => projectKeys.forget(projectId),
  );
  return () => subscription.close();
}
