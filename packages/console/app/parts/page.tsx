import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";

interface Crumb {
  label: string;
  to: string;
}

interface Props {
  title: string;
  /** The pages above this one. */
  crumbs?: readonly Crumb[];
  /** Shown beside the title. */
  aside?: ReactNode;
  actions?: ReactNode;
  /** The children fill the page, and scroll themselves. */
  isWhole?: boolean;
  children: ReactNode;
}

/** A page with its title, which is the document's, too. */
export function Page({ title, crumbs = [], aside, actions, isWhole = false, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Muster`;
  }, [title]);
  return (
    <main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      <header className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-6 py-2.5 max-md:px-4">
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2 max-md:min-w-3/5">
          {crumbs.map(({ label, to }) => (
            <span key={to} className="text-muted">
              <Link to={to} className="hover:text-text">
                {label}
              </Link>{" "}
              /
            </span>
          ))}
          <h1 className="max-w-full truncate text-title font-semibold">{title}</h1>
          {aside}
        </div>
        <div className="flex flex-wrap items-center gap-2">{actions}</div>
      </header>
      <div className={`min-h-0 flex-1 ${isWhole ? "flex flex-col" : "overflow-auto px-6 py-5 max-md:px-4"}`}>
        {children}
      </div>
    </main>
  );
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="mb-8">
      <div className="mb-2 flex min-h-8 items-center gap-3">
        <h2 className="flex-1 text-body font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, className = "" }: { children: ReactNode; className?: string }) {
  return <div className={`rounded-card border border-line bg-panel p-4 ${className}`}>{children}</div>;
}

/** Names and values, one below the other. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-1.5 text-table">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
