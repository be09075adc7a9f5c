import type { Api } from "../http/api.ts";
import { optionalText, records, text } from "../read.ts";
import { getProjectId } from "./projects.ts";

export type ProviderKey = ReturnType<typeof providerKeyOf>;

/** By provider. Never with the keys themselves. */
export async function listProviderKeys(api: Api): Promise<ProviderKey[]> {
  return records(await api.read("GET", await pathOf(api)), "providerKeys").map(providerKeyOf);
}

export async function setProviderKey(api: Api, provider: string, key: string): Promise<ProviderKey> {
  return providerKeyOf(await api.read("PUT", await pathOf(api, provider), { body: { key } }));
}

/** `deleted` is false if the key did not exist. */
export async function deleteProviderKey(api: Api, provider: string) {
  const { deleted } = await api.read("DELETE", await pathOf(api, provider));
  return { provider, deleted: deleted === true };
}

async function pathOf(api: Api, provider?: string): Promise<string> {
  const path = `/api/admin/projects/${encodeURIComponent(await getProjectId(api))}/provider-keys`;
  return provider === undefined ? path : `${path}/${encodeURIComponent(provider)}`;
}

function providerKeyOf(key: Record<string, unknown>) {
  return {
    provider: text(key, "provider"),
    /** Missing for a short key. */
    lastFour: optionalText(key, "lastFour"),
    createdAt: text(key, "createdAt"),
    updatedAt: text(key, "updatedAt"),
  };
}
