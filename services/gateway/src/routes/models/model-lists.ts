import type { Catalog, CatalogEntry } from "@muster/catalog";
import { type ReferenceData, referenceData } from "../../edge/http/reference-data.ts";

/** Finds the response for one provider, or for all. */
export type FindModelList = (provider: string | undefined) => ReferenceData;

/** A response is built when it is first requested and again after prices have changed, not for each request. */
export function createModelLists(catalog: Catalog): FindModelList {
  const none = listOf([]);
  let made: readonly CatalogEntry[] | undefined;
  let all = none;
  let byProvider = new Map<string, ReferenceData>();
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

function listOf(models: readonly CatalogEntry[]): ReferenceData {
  return referenceData({ models });
}
