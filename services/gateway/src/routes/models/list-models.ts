import type { Catalog, CatalogEntry } from "@muster/catalog";
import type { AddRoute } from "../../context.ts";
import { ReferenceData, sendReferenceData } from "../../edge/http/reference-data.ts";
import { ifNoneMatch, unchanged } from "../../schemas/common.ts";
import { modelListQuery, modelListReply } from "../../schemas/models.ts";

export const listModels: AddRoute = (app, { catalog, limitModels }) => {
  const find = createModelLists(catalog);
  app.route({
    method: "GET",
    url: "/api/models",
    config: {
      errors: ["RATE_LIMITED"],
      sends: ["ETag", "Cache-Control", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    },
    onRequest: limitModels,
    schema: {
      operationId: "listModels",
      tags: ["Models"],
      summary: "List models and their prices",
      description: "The catalog comes with the release; the request reaches no provider.",
      querystring: modelListQuery,
      headers: ifNoneMatch,
      response: { 200: modelListReply, 304: unchanged },
    },
    handler: async (request, reply) => {
      await sendReferenceData(reply, find(request.query.provider));
      return reply;
    },
  });
};

/** Finds the response for one provider, or for all. */
type FindModelList = (provider: string | undefined) => ReferenceData;

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
  return ReferenceData.ofJson({ models });
}
