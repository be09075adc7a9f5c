import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import type { Query } from "../api.ts";
import { CopyRequest } from "./copy-request.tsx";
import { Empty, Skeleton } from "./empty.tsx";
import { Failure } from "./failure.tsx";
import { count, plural } from "./format.ts";
import { type Column, ListRow, type RowShape, tracksOf } from "./list-row.tsx";
import { type ReadPage, usePages } from "./use-pages.ts";

export type { Column };

/** The first column names the row; on a phone it is the first line, and `second` the other one. */
interface Props<Reply, Row> extends RowShape<Row> {
  label: string;
  /** A route with `cursor`, `limit` and `nextCursor`, or one that returns everything. */
  path: string;
  query?: Query;
  /** Reads a page that several routes have. `path` then names it, below the address whose changes make it stale. */
  read?: ReadPage<Reply>;
  rowsOf: (reply: Reply) => readonly Row[];
  keyOf: (row: Row) => string;
  /** Leaves rows out, of a route that returns everything. */
  isShown?: (row: Row) => boolean;
  empty?: ReactNode;
}

const rowHeight = 40;
const phoneRowHeight = 60;

/** Rows of any number: only those in view are in the document, and pages load as they scroll into view. */
export function List<Reply extends object, Row>(props: Props<Reply, Row>) {
  const { label, path, query = {}, read, rowsOf, keyOf, columns, second, linkOf, isShown, empty } = props;
  const pages = usePages({ path, query, read, rowsOf, keyOf });
  const { hasMore, loadMore, look, error } = pages;
  const rows = isShown === undefined ? pages.rows : pages.rows.filter(isShown);

  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useSyncExternalStore(onScreenChange, () => phones.matches);
  const size = isPhone ? phoneRowHeight : rowHeight;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    overscan: 6,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured by their size alone
  useEffect(() => virtual.measure(), [size]);
  const shown = virtual.getVirtualItems();
  const [firstIndex, lastIndex] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the place and the rows count
  useEffect(() => {
    look(firstIndex, lastIndex);
    if (hasMore && lastIndex >= rows.length - 40) loadMore();
  }, [firstIndex, lastIndex, pages.rows, hasMore]);

  if (pages.isPending) return <Skeleton />;
  if (error !== null && rows.length === 0)
    return <Failure error={error} onRetry={() => void pages.refetch()} />;
  // A page can be empty although others follow.
  if (rows.length === 0 && hasMore) return <Skeleton />;
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

  return (
    <div className="flex min-h-0 flex-col overflow-hidden rounded-card border border-line bg-panel text-table">
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className="flex min-h-0 flex-col"
      >
        {!isPhone && (
          <div
            role="row"
            className="grid shrink-0 gap-3 border-b border-line px-3 py-2 text-small text-muted"
            style={{ gridTemplateColumns: tracksOf(columns) }}
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
          className="min-h-0 overflow-auto"
        >
          <div className="relative" role="presentation" style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ index, start }) => {
              const row = rows[index];
              if (row === undefined) return null;
              const place = { index, start, size, isPhone };
              return <ListRow key={keyOf(row)} row={row} {...place} {...{ columns, second, linkOf }} />;
            })}
          </div>
        </div>
      </div>
      {!isPhone && (
        <div className="flex h-8 shrink-0 items-center gap-3 border-t border-line pr-1.5 pl-3 text-small text-muted">
          <span className="flex-1">{plural(`${count(rows.length)}${hasMore ? "+" : ""}`, "row")}</span>
          {read === undefined && <CopyRequest path={path} query={query} subject={label} />}
        </div>
      )}
      {error !== null && <Failure error={error} onRetry={hasMore ? loadMore : () => void pages.refetch()} />}
    </div>
  );
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

const phones = matchMedia("(max-width: 767px)");

function onScreenChange(changed: () => void): () => void {
  phones.addEventListener("change", changed);
  return () => phones.removeEventListener("change", changed);
}
