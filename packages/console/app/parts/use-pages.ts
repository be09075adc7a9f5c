import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { muster, type Query } from "../api.ts";

interface LoadedPage<Row> {
  cursor: string | undefined;
  rows: readonly Row[];
  next: string | undefined;
  /** Something has changed since it was read. It is read again once it is in view. */
  isStale: boolean;
}

export type ReadPage<Reply> = (cursor: string | undefined, signal: AbortSignal | undefined) => Promise<Reply>;

interface Source<Reply, Row> {
  path: string;
  query: Query;
  read?: ReadPage<Reply> | undefined;
  rowsOf: (reply: Reply) => readonly Row[];
  keyOf: (row: Row) => string;
}

/**
 * The rows of a route with cursors, page after page. A change reads the first page and those in view again, however many are
 * loaded.
 */
export function usePages<Reply extends object, Row>(source: Source<Reply, Row>) {
  const { path, query, rowsOf, keyOf } = source;
  const readPage =
    source.read ??
    ((cursor, signal) => muster.request<Reply>("GET", path, { query: { ...query, cursor }, signal }));
  const cache = useQueryClient();
  const queryKey = [path, query, "rows"];
  const inView = useRef<ReadonlySet<number>>(new Set());

  const read = async (cursor: string | undefined, signal?: AbortSignal): Promise<LoadedPage<Row>> => {
    const reply = await readPage(cursor, signal);
    return { cursor, rows: rowsOf(reply), next: nextCursorOf(reply), isStale: false };
  };
  const { data, error, isPending, refetch } = useQuery({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ signal }): Promise<readonly LoadedPage<Row>[]> => {
      const known = cache.getQueryData<readonly LoadedPage<Row>[]>(queryKey);
      if (known === undefined) return [await read(undefined, signal)];
      const pages = known.map((page) => ({ ...page, isStale: true }));
      for (const index of new Set([0, ...inView.current])) {
        const before = pages[index];
        if (before === undefined) continue;
        const page = continued(before, await read(before.cursor, signal), keyOf);
        pages[index] = page;
        if (page.next === before.next) continue;
        // More has changed than a page has: the ones after it no longer follow.
        pages.length = index + 1;
        break;
      }
      return pages;
    },
  });

  const more = useRef<Promise<void>>(undefined);
  const [moreError, setMoreError] = useState<Error | null>(null);
  const next = data?.at(-1)?.next;
  const loadMore = () => {
    if (next === undefined) return;
    more.current ??= read(next)
      .then((page) => {
        setMoreError(null);
        cache.setQueryData<readonly LoadedPage<Row>[]>(queryKey, (pages = []) =>
          pages.at(-1)?.next === page.cursor ? [...pages, page] : pages,
        );
      })
      .catch((failure: Error) => setMoreError(failure))
      .finally(() => {
        more.current = undefined;
      });
  };

  const shown = useRef<Rows<Row>>(undefined);
  shown.current = flat(data ?? [], keyOf, shown.current);
  const { rows, pageOf } = shown.current;
  const look = (firstRow: number, lastRow: number) => {
    const pages = new Set([pageOf[firstRow] ?? 0, pageOf[lastRow] ?? 0]);
    inView.current = pages;
    if ([...pages].some((index) => data?.[index]?.isStale === true)) void refetch({ cancelRefetch: false });
  };
  return { rows, error: error ?? moreError, isPending, hasMore: next !== undefined, loadMore, look, refetch };
}

interface Rows<Row> {
  pages: readonly LoadedPage<Row>[];
  rows: readonly Row[];
  /** The page of each row. */
  pageOf: readonly number[];
  seen: Set<string>;
}

/**
 * A row that has moved to the front is still in the page in which it was: its first place counts. `before`: the rows of the
 * pages until now, so that one more page costs no more than its own rows.
 */
function flat<Row>(
  pages: readonly LoadedPage<Row>[],
  keyOf: (row: Row) => string,
  before: Rows<Row> | undefined,
): Rows<Row> {
  if (before?.pages === pages) return before;
  const isMore = before?.pages.every((page, index) => page === pages[index]) === true;
  const { pages: known, rows, pageOf, seen } = isMore && before ? before : nothing<Row>();
  const more: { row: Row; index: number }[] = [];
  for (let index = known.length; index < pages.length; index++)
    for (const row of pages[index]?.rows ?? []) {
      const key = keyOf(row);
      if (seen.has(key)) continue;
      seen.add(key);
      more.push({ row, index });
    }
  return {
    pages,
    rows: [...rows, ...more.map(({ row }) => row)],
    pageOf: [...pageOf, ...more.map(({ index }) => index)],
    seen,
  };
}

function nothing<Row>(): Rows<Row> {
  return { pages: [], rows: [], pageOf: [], seen: new Set() };
}

/** A page that was read again. Rows that new ones have pushed out of it stay at its end, where the next page begins. */
function continued<Row>(
  before: LoadedPage<Row>,
  page: LoadedPage<Row>,
  keyOf: (row: Row) => string,
): LoadedPage<Row> {
  const last = page.rows.at(-1);
  if (page.next === before.next || before.next === undefined || last === undefined) return page;
  const at = before.rows.findIndex((row) => keyOf(row) === keyOf(last));
  if (at < 0) return page;
  return { ...page, rows: [...page.rows, ...before.rows.slice(at + 1)], next: before.next };
}

function nextCursorOf(reply: object): string | undefined {
  const cursor: unknown = Reflect.get(reply, "nextCursor");
  return typeof cursor === "string" && cursor !== "" ? cursor : undefined;
}
