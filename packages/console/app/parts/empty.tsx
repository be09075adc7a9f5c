import type { ReactNode } from "react";
import { Command } from "./copy.tsx";

/** Nothing is here yet: why, one command, and where to read on. */
export function Empty({
  title,
  command,
  children,
}: {
  title: string;
  command?: string;
  children?: ReactNode;
}) {
  return (
    <div className="mx-auto grid max-w-xl gap-3 py-14 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="text-muted">{children}</div>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

/** Lines in the shape of the rows that are being read. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="grid gap-2">
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <div key={line} className="h-9 rounded-card bg-raised opacity-70" />
      ))}
    </div>
  );
}
