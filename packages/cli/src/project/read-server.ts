import { isJsonObject, isJsonValue, type JsonObject } from "@muster/language";
import { failure } from "../exit.ts";
import type { Api } from "../http/api.ts";
import { integer, record, records, text } from "../read.ts";
import { type Kind, kinds, type Translate } from "./kinds.ts";
import { resourceName, type Stored } from "./plan-steps.ts";

const pageSize = "100";

/** Every resource of the project that files can describe, in the order of their kinds. */
export async function readServer(api: Api): Promise<Stored[]> {
  const { projectId } = await api.read("GET", "/api/credential");
  const names = new Map<string, string>();
  const versions = new Map<string, number>();
  const nameOf: Translate = (id) => names.get(id) ?? id;
  for (const { slug, version } of records(await api.read("GET", "/api/admin/workforce/prebuilt"), "prebuilt"))
    versions.set(`prebuilt/${slug}`, Number(version));
  const found: Stored[] = [];
  for (const kind of kinds) {
    const parents =
      kind.parent === undefined ? [undefined] : found.filter((each) => each.kind.section === kind.parent);
    for (const parent of parents) {
      for (const item of await listed(api, kind, kind.path(parent?.id ?? ""))) {
        const id = text(item, kind.id);
        if (kind.section === "project" && id !== projectId) continue;
        const isProject = kind.section === "project";
        const name = isProject ? kind.section : resourceName(kind, text(item, kind.name), parent?.name);
        if (found.some((each) => each.name === name)) throw sameName(name);
        names.set(id, name);
        const { revision, fields } = await read(api, kind, item, nameOf, name);
        versions.set(name, revision);
        const latest = versions.get(String(fields.definition));
        found.push({
          ...{ name, kind, id, revision, fields },
          managed: isProject || item.managed === true,
          isBehind: latest !== undefined && item.definitionVersion !== latest,
        });
      }
    }
  }
  return found;
}

/** Only names of identity providers are not unique. */
function sameName(name: string) {
  return failure(
    "INVALID_PROJECT",
    `The server has two resources with the name ${name}. Rename or delete one of them.`,
  );
}

/** All pages. */
async function listed(api: Api, kind: Kind, path: string): Promise<Array<Record<string, unknown>>> {
  const items: Array<Record<string, unknown>> = [];
  let cursor: string | undefined;
  do {
    const isPaged = kind.section === "workforce";
    const page = await api.read("GET", path, { query: { limit: isPaged ? pageSize : undefined, cursor } });
    items.push(...records(page, kind.list));
    cursor = typeof page.nextCursor === "string" ? page.nextCursor : undefined;
  } while (cursor !== undefined);
  return items;
}

/** Lists of agents lack their definitions, and the version is the ETag. */
async function read(
  api: Api,
  kind: Kind,
  item: Record<string, unknown>,
  nameOf: Translate,
  place: string,
): Promise<{ revision: number; fields: JsonObject }> {
  const toFields = (body: Record<string, unknown>) => {
    if (!isJsonValue(body) || !isJsonObject(body)) throw new Error("a response is not JSON");
    const all = kind.toFile(body, nameOf, place.slice(place.indexOf("/") + 1));
    return Object.fromEntries(Object.entries(all).filter(([name]) => name in kind.fields));
  };
  if (kind.section !== "agents") return { revision: integer(item, "revision"), fields: toFields(item) };
  const { body, header } = await api.request("GET", `/api/agents/${text(item, "id")}`);
  return { revision: Number(JSON.parse(header("etag") ?? "0")), fields: toFields(record(body)) };
}
