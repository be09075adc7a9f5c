import type { Api } from "../http/api.ts";
import { optionalText, record, records, text } from "../read.ts";

export interface ProviderKey {
  readonly provider: string;
  /** Missing for a short key. */
  readonly lastFour?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** By provider. Never with the keys themselves. */
export async function listProviderKeys(api: Api): Promise<ProviderKey[]> {
  const { body } = await api.request("GET", await pathOf(api));
  return records(record(body), "providerKeys").map(providerKeyOf);
}

export async function setProviderKey(api: Api, provider: string, key: string): Promise<ProviderKey> {
  const { body } = await api.request("PUT", await pathOf(api, provider), { body: { key } });
  return providerKeyOf(record(body));
}

/** `deleted` is false if the key did not exist. */
export async function deleteProviderKey(
  api: Api,
  provider: string,
): Promise<{ provider: string; deleted: boolean }> {
  const { body } = await api.request("DELETE", await pathOf(api, provider));
  return { provider, deleted: record(body).deleted === true };
}

/** In the project of the command, which the server knows if no option names it. */
async function pathOf(api: Api, provider?: string): Promise<string> {
  const { body } = await api.request("GET", "/api/credential");
  const path = `/api/admin/projects/${encodeURIComponent(text(record(body), "projectId"))}/provider-keys`;
  return provider === undefined ? path : `${path}/${encodeURIComponent(provider)}`;
}

function providerKeyOf(key: Record<string, unknown>): ProviderKey {
  return {
    provider: text(key, "provider"),
    lastFour: optionalText(key, "lastFour"),
    createdAt: text(key, "createdAt"),
    updatedAt: text(key, "updatedAt"),
  };
}
