import { isPlainObject } from "@muster/language/json";
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
  readonly limits?: Partial<SpendingLimits>;
}

/** Limits of a calendar month (UTC). Null: no limit. */
export interface SpendingLimits {
  readonly monthlyUsd: number | null;
  readonly monthlyTokens: number | null;
}

/** The response is the only one that contains the secret. */
export async function createKey(api: Api, key: NewKey): Promise<Key & { key: string }> {
  const body = await api.read("POST", "/api/admin/keys", { body: key });
  return { ...keyOf(body), key: text(body, "key") };
}

export async function listKeys(api: Api) {
  return records(await api.read("GET", "/api/admin/keys"), "keys").map(listedKeyOf);
}

/** Absent limits stay unchanged. */
export async function updateKey(api: Api, id: string, limits: Partial<SpendingLimits>) {
  const path = `/api/admin/keys/${encodeURIComponent(id)}`;
  return listedKeyOf(await api.read("PATCH", path, { body: { limits } }));
}

function listedKeyOf(key: Record<string, unknown>) {
  return {
    ...keyOf(key),
    lastUsedAt: optionalText(key, "lastUsedAt") ?? null,
    anyProject: key.anyProject === true,
  };
}

/** A limit of a key or a project. Absent in responses of earlier releases. */
export function limitIn({ limits }: Record<string, unknown>, name: string): number | null {
  const value = isPlainObject(limits) ? limits[name] : null;
  return typeof value === "number" ? value : null;
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
    limits: { monthlyUsd: limitIn(key, "monthlyUsd"), monthlyTokens: limitIn(key, "monthlyTokens") },
  };
}
