import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ApiKey } from "@muster/proto/auth";
import { relayedFailure } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import type { AgentKey } from "../../store/agent-document.ts";

const timeoutMs = 5_000;

type Context = Pick<WorkforceContext, "services" | "callFor">;

/** Keys that act on one agent and nothing else. The auth service has them. */
export interface NewKey {
  name: string;
  expiresAt?: Timestamp | undefined;
}

export async function createKey(
  context: Context,
  { projectId, agentId }: AgentKey,
  { name, expiresAt }: NewKey,
): Promise<{ apiKey: ApiKey; secret: string }> {
  const request = { name, permissions: ["workforce"], agentId, ...(expiresAt && { expiresAt }) };
  const { apiKey, secret } = await relaying(() =>
    context.services.auth.createApiKey(request, context.callFor(projectId, { timeoutMs })),
  );
  if (apiKey === undefined) throw new Error("The auth service sent no key");
  return { apiKey, secret };
}

/** Newest first. */
export async function listKeys(context: Context, { projectId, agentId }: AgentKey): Promise<ApiKey[]> {
  const { apiKeys } = await relaying(() =>
    context.services.auth.listApiKeys({ agentId }, context.callFor(projectId, { timeoutMs })),
  );
  return apiKeys;
}

export async function deleteKey(
  context: Context,
  { projectId, agentId }: AgentKey,
  id: string,
): Promise<void> {
  await relaying(() =>
    context.services.auth.deleteApiKey({ id, agentId }, context.callFor(projectId, { timeoutMs })),
  );
}

async function relaying<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw relayedFailure(error, "The auth service does not respond.");
  }
}
