import type { Api } from "../http/api.ts";
import { optionalText, record, records, text, texts } from "../read.ts";

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly projectId: string;
  readonly agentId: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export interface ListedKey extends Key {
  readonly lastUsedAt: string | null;
  readonly anyProject: boolean;
}

export interface NewKey {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly agentId?: string | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
}

/** The response is the only one that contains the secret. */
export async function createKey(api: Api, key: NewKey): Promise<Key & { key: string }> {
  const { body } = await api.request("POST", "/api/admin/keys", { body: key });
  return { ...keyOf(record(body)), key: text(record(body), "key") };
}

export async function listKeys(api: Api): Promise<ListedKey[]> {
  const { body } = await api.request("GET", "/api/admin/keys");
  return records(record(body), "keys").map((key) => ({
    ...keyOf(key),
    lastUsedAt: optionalText(key, "lastUsedAt") ?? null,
    anyProject: key.anyProject === true,
  }));
}

export async function deleteKey(api: Api, id: string): Promise<{ id: string; deleted: boolean }> {
  const { body } = await api.request("DELETE", `/api/admin/keys/${encodeURIComponent(id)}`);
  return { id: text(record(body), "id"), deleted: record(body).deleted === true };
}

function keyOf(key: Record<string, unknown>): Key {
  return {
    id: text(key, "id"),
    name: text(key, "name"),
    permissions: texts(key, "permissions"),
    projectId: text(key, "projectId"),
    agentId: optionalText(key, "agentId") ?? null,
    createdAt: text(key, "createdAt"),
    expiresAt: optionalText(key, "expiresAt") ?? null,
  };
}
