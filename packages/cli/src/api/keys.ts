import type { Api } from "../http/api.ts";
import { optionalText, records, text, texts } from "../read.ts";

export type Key = ReturnType<typeof keyOf>;

export interface NewKey {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly agentId?: string;
  readonly agentSlug?: string;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
}

/** The response is the only one that contains the secret. */
export async function createKey(api: Api, key: NewKey): Promise<Key & { key: string }> {
  const body = await api.read("POST", "/api/admin/keys", { body: key });
  return { ...keyOf(body), key: text(body, "key") };
}

export async function listKeys(api: Api) {
  return records(await api.read("GET", "/api/admin/keys"), "keys").map((key) => ({
    ...keyOf(key),
    lastUsedAt: optionalText(key, "lastUsedAt") ?? null,
    anyProject: key.anyProject === true,
  }));
}

export async function deleteKey(api: Api, id: string) {
  const body = await api.read("DELETE", `/api/admin/keys/${encodeURIComponent(id)}`);
  return { id: text(body, "id"), deleted: body.deleted === true };
}

function keyOf(key: Record<string, unknown>) {
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
