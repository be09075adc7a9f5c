import type { ReactNode } from "react";
import { Command } from "./copy.tsx";

interface Props {
  title: string;
  command?: string;
  /** A part of the API's reference, such as `Schedules`. */
  reference?: string;
  children?: ReactNode;
}

/** Nothing is here yet: why, one command, and where to read on. */
export function Empty({ title, command, reference, children }: Props) {
  return (
    <div className="mx-auto grid max-w-xl gap-3 py-14 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="text-muted">{children}</div>}
      {command !== undefined && <Command text={command} />}
      {reference !== undefined && (
        <p className="text-table">
          <a
            href={`/docs#tag/${reference.toLowerCase().replaceAll(" ", "-")}`}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline"
          >
            {reference} in the API reference
          </a>
        </p>
      )}
    </div>
  );
}

/** Rows that are being read, or cards in the grid of `className`. `size`: the height of each. */
export function Skeleton({ lines = 6, size = "h-9", className = "gap-2" }) {
  return (
    <div role="status" aria-label="Loading" className={`grid content-start ${className}`}>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <div key={line} className={`${size} rounded-card bg-raised opacity-70`} />
      ))}
    </div>
  );
}
