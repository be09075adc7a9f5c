import type { Api } from "../http/api.ts";
import { integer, optionalText, record, records, text } from "../read.ts";

export type Hook = ReturnType<typeof hookOf>;

const pathOf = (agentId: string, id?: string) =>
  ["/api/admin/workforce/agents", agentId, "hooks", ...(id === undefined ? [] : [id])]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join("/");

/** Fields of the request that are undefined are not sent. */
export async function createHook(api: Api, agentId: string, hook: Readonly<Record<string, unknown>>) {
  return hookOf(await api.read("POST", pathOf(agentId), { body: hook }));
}

/** Newest first. */
export async function listHooks(api: Api, agentId: string): Promise<Hook[]> {
  return records(await api.read("GET", pathOf(agentId)), "hooks").map(hookOf);
}

export async function updateHook(
  api: Api,
  agentId: string,
  id: string,
  changes: Readonly<Record<string, unknown>>,
) {
  return hookOf(await api.read("PATCH", pathOf(agentId, id), { body: changes }));
}

export async function deleteHook(api: Api, agentId: string, id: string): Promise<void> {
  await api.request("DELETE", pathOf(agentId, id));
}

/** The newest ones, newest first. */
export async function listHookDeliveries(
  api: Api,
  agentId: string,
  id: string,
  query: Readonly<Record<string, string>>,
) {
  const search = new URLSearchParams(query).toString();
  const path = `${pathOf(agentId, id)}/deliveries${search === "" ? "" : `?${search}`}`;
  return records(await api.read("GET", path), "deliveries").map(deliveryOf);
}

export async function replayHookDelivery(api: Api, agentId: string, id: string, deliveryId: string) {
  const path = `${pathOf(agentId, id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`;
  return deliveryOf(await api.read("POST", path));
}

function hookOf(hook: Record<string, unknown>) {
  const verify = record(hook.verify);
  return {
    id: text(hook, "id"),
    url: text(hook, "url"),
    agentId: text(hook, "agentId"),
    slug: text(hook, "slug"),
    name: text(hook, "name"),
    verify: { type: text(verify, "type"), earlierUntil: optionalText(verify, "earlierUntil") },
    filter: hook.filter ?? null,
    message: text(hook, "message"),
    threadKey: optionalText(hook, "threadKey"),
    config: hook.config,
    enabled: hook.enabled === true,
    managed: hook.managed === true,
    revision: integer(hook, "revision"),
    createdAt: text(hook, "createdAt"),
    updatedAt: text(hook, "updatedAt"),
  };
}

function deliveryOf(delivery: Record<string, unknown>) {
  return {
    id: text(delivery, "id"),
    status: text(delivery, "status"),
    reason: optionalText(delivery, "reason"),
    threadId: optionalText(delivery, "threadId"),
    replayOf: optionalText(delivery, "replayOf"),
    bodyStart: text(delivery, "bodyStart"),
    bodyLength: integer(delivery, "bodyLength"),
    createdAt: text(delivery, "createdAt"),
    settledAt: optionalText(delivery, "settledAt"),
  };
}
