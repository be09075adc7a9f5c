import type { Api } from "../http/api.ts";
import { optionalText, records } from "../read.ts";

/** The most items that a server puts on a page. */
const pageSize = 100;

/** Reads as many pages as are needed for `limit` items of the list `key`. `query`: its filters. */
export async function readPages(
  api: Api,
  path: string,
  key: string,
  limit: number,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<{ items: Array<Record<string, unknown>>; hasMore: boolean }> {
  const items: Array<Record<string, unknown>> = [];
  let cursor: string | undefined;
  do {
    const page = { ...query, cursor, limit: String(Math.min(pageSize, limit - items.length)) };
    const body = await api.read("GET", path, { query: page });
    items.push(...records(body, key));
    cursor = optionalText(body, "nextCursor");
  } while (cursor !== undefined && items.length < limit);
  return { items, hasMore: cursor !== undefined };
}
