import { Link, type LinkProps } from "@tanstack/react-router";
import { PureComponent, type ReactNode } from "react";

export interface Column<Row> {
  title: string;
  /** A track of a CSS grid. Default: an equal share. */
  width?: string;
  isNumber?: boolean;
  cell: (row: Row) => ReactNode;
}

export interface RowShape<Row> {
  columns: readonly Column<Row>[];
  second: (row: Row) => ReactNode;
  linkOf?: ((row: Row) => Pick<LinkProps, "to" | "params" | "search">) | undefined;
}

interface Props<Row> extends RowShape<Row> {
  row: Row;
  index: number;
  start: number;
  size: number;
  isPhone: boolean;
}

/** One that stays where it is is not rendered again while the list scrolls. A class, because `memo` forgets the type of rows. */
export class ListRow<Row> extends PureComponent<Props<Row>> {
  override render() {
    const { row, index, start, size, isPhone, columns, second, linkOf } = this.props;
    const cells = isPhone ? columns.slice(0, 1) : columns;
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        data-index={index}
        className="absolute inset-x-0 top-0 grid contain-strict items-center gap-x-3 border-b border-line px-3 focus-within:bg-raised hover:bg-raised max-md:content-center"
        style={{
          transform: `translateY(${start}px)`,
          height: size,
          ...(!isPhone && { gridTemplateColumns: tracksOf(columns) }),
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
  }
}

export function tracksOf(columns: readonly Column<never>[]): string {
  return columns.map(({ width = "minmax(0, 1fr)" }) => width).join(" ");
}
