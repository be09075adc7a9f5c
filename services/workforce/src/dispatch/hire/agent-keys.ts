import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { MachineKey } from "@muster/computers";
import type { ApiKey } from "@muster/proto/auth";
import { relayedFailure } from "@muster/rpc";
import type { OwnCallOptions, WorkforceContext } from "../../context.ts";
import type { AgentKey } from "../../store/agent-document.ts";

const timeoutMs = 5_000;

type Context = Pick<WorkforceContext, "services" | "callFor">;

/** One agent, for a key that acts on it, or one computer, for a token that connects it. Neither does anything else. */
export type KeyTarget = AgentKey | MachineKey;

/** The auth service has them. */
export interface NewKey {
  name: string;
  expiresAt?: Timestamp | undefined;
}

export async function createKey(
  context: Context,
  { projectId, ...target }: KeyTarget,
  { name, expiresAt }: NewKey,
  by: OwnCallOptions,
): Promise<{ apiKey: ApiKey; secret: string }> {
  const permissions = "agentId" in target ? ["workforce"] : [];
  const request = { name, permissions, ...target, ...(expiresAt && { expiresAt }) };
  const { apiKey, secret } = await relaying(() =>
    context.services.auth.createApiKey(request, context.callFor(projectId, { ...by, timeoutMs })),
  );
  if (apiKey === undefined) throw new Error("The auth service sent no key");
  return { apiKey, secret };
}

/** Newest first. */
export async function listKeys(context: Context, { projectId, ...target }: KeyTarget): Promise<ApiKey[]> {
  const { apiKeys } = await relaying(() =>
    context.services.auth.listApiKeys(target, context.callFor(projectId, { timeoutMs })),
  );
  return apiKeys;
}

export async function deleteKey(
  context: Context,
  { projectId, ...target }: KeyTarget,
  id: string,
  by?: OwnCallOptions,
): Promise<void> {
  await relaying(() =>
    context.services.auth.deleteApiKey({ id, ...target }, context.callFor(projectId, { ...by, timeoutMs })),
  );
}

async function relaying<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw relayedFailure(error, "The auth service does not respond.");
  }
}
