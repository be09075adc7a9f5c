import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { muster, type Query } from "../api.ts";
import { Empty, Skeleton } from "./empty.tsx";
import { Failure } from "./failure.tsx";

export interface Column<Row> {
  title: string;
  /** A track of a CSS grid. Default: an equal share. */
  width?: string;
  isNumber?: boolean;
  cell: (row: Row) => ReactNode;
}

interface Props<Reply, Row> {
  label: string;
  /** A route with `cursor`, `limit` and `nextCursor`, or one that returns everything. */
  path: string;
  query?: Query;
  rowsOf: (reply: Reply) => readonly Row[];
  keyOf: (row: Row) => string;
  /** The first one names the row; on a phone it is the first line, and `second` the other one. */
  columns: readonly Column<Row>[];
  second: (row: Row) => ReactNode;
  linkOf?: (row: Row) => Pick<LinkProps, "to" | "params" | "search">;
  empty?: ReactNode;
}

const rowHeight = 40;
const phoneRowHeight = 60;

/** The pages of a list that have been read so far. */
export function usePages<Reply extends object>(path: string, query: Query) {
  return useInfiniteQuery({
    queryKey: [path, query, "pages"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      muster.request<Reply>("GET", path, { query: { ...query, cursor }, signal }),
    getNextPageParam: (last) => nextCursorOf(last),
  });
}

/** Rows of any number: only those in view are in the document, and pages load as they come into view. */
export function List<Reply extends object, Row>(props: Props<Reply, Row>) {
  const { label, path, query = {}, rowsOf, keyOf, columns, second, linkOf, empty } = props;
  const pages = usePages<Reply>(path, query);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const rows = pages.data?.pages.flatMap(rowsOf) ?? [];

  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = matchMedia("(max-width: 767px)").matches;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isPhone ? phoneRowHeight : rowHeight),
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  const lastIndex = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastIndex >= rows.length - 20) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, lastIndex, rows.length]);

  if (pages.isPending) return <Skeleton />;
  if (pages.error !== null && rows.length === 0)
    return <Failure error={pages.error} onRetry={() => void pages.refetch()} />;
  if (rows.length === 0) return empty ?? <Empty title={`There are no ${label.toLowerCase()} yet`} />;

  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const focused = document.activeElement?.closest("[data-index]")?.getAttribute("data-index");
    const next = Math.min(Math.max(Number(focused ?? -1) + step, 0), rows.length - 1);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"] [data-row]`)?.focus(),
    );
  };
  const tracks = columns.map(({ width = "minmax(0, 1fr)" }) => width).join(" ");

  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={hasNextPage ? -1 : rows.length + 1}
      className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-card border border-line bg-panel text-table"
    >
      {!isPhone && (
        <div
          role="row"
          className="grid shrink-0 gap-3 border-b border-line px-3 py-2 text-small text-muted"
          style={{ gridTemplateColumns: tracks }}
        >
          {columns.map(({ title, isNumber }) => (
            <span role="columnheader" key={title} className={isNumber ? "text-right" : ""}>
              {title}
            </span>
          ))}
        </div>
      )}
      <div
        ref={scroller}
        role="rowgroup"
        // The rows that a list has no links in still scroll by keyboard.
        tabIndex={linkOf === undefined ? 0 : -1}
        onKeyDown={move}
        className="min-h-0 flex-1 overflow-auto"
      >
        <div className="relative" role="presentation" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start, size }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const cells = isPhone ? columns.slice(0, 1) : columns;
            return (
              <div
                key={keyOf(row)}
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                className="absolute inset-x-0 grid items-center gap-x-3 border-b border-line px-3 focus-within:bg-raised hover:bg-raised max-md:content-center"
                style={{
                  top: start,
                  height: size,
                  ...(!isPhone && { gridTemplateColumns: tracks }),
                }}
              >
                {cells.map(({ title, cell, isNumber }, column) => (
                  <div
                    role="cell"
                    key={title}
                    className={`min-w-0 truncate ${isNumber ? "text-right" : ""} ${column === 0 ? "" : "pointer-events-none *:pointer-events-auto"}`}
                  >
                    {column === 0 && linkOf !== undefined ? (
                      <Link {...linkOf(row)} data-row className="font-medium after:absolute after:inset-0">
                        {cell(row)}
                      </Link>
                    ) : (
                      cell(row)
                    )}
                  </div>
                ))}
                {isPhone && (
                  <div role="cell" className="truncate text-small text-muted">
                    {second(row)}
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </div>
      {pages.error !== null && <Failure error={pages.error} onRetry={() => void fetchNextPage()} />}
    </div>
  );
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function nextCursorOf(reply: object): string | undefined {
  const cursor: unknown = Reflect.get(reply, "nextCursor");
  return typeof cursor === "string" && cursor !== "" ? cursor : undefined;
}
