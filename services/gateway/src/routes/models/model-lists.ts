import { createHash } from "node:crypto";
import type { Catalog, CatalogEntry } from "@muster/catalog";

/** An answer, ready to be sent. */
export interface ModelList {
  /** JSON. */
  body: Buffer;
  /** Strong: another tag for every other byte. */
  etag: string;
}

/** Finds the answer for one provider, or for all. */
export type FindModelList = (provider: string | undefined) => ModelList;

/** Answers are made when first asked for and again after prices have changed, never for a single request. */
export function createModelLists(catalog: Catalog): FindModelList {
  const none = listOf([]);
  let made: readonly CatalogEntry[] | undefined;
  let all = none;
  let byProvider = new Map<string, ModelList>();
  return (provider) => {
    const { entries } = catalog;
    if (entries !== made) {
      const groups = Map.groupBy(entries, (entry) => entry.provider);
      byProvider = new Map([...groups].map(([name, group]) => [name, listOf(group)]));
      [all, made] = [listOf(entries), entries];
    }
    return provider === undefined ? all : (byProvider.get(provider) ?? none);
  };
}

function listOf(models: readonly CatalogEntry[]): ModelList {
  const body = Buffer.from(JSON.stringify({ models }));
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}
