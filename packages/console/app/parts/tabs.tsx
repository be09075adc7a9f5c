import { Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";

export interface Tab {
  label: ReactNode;
  to: string;
  /** Only at the address itself. Default: also below it. */
  isExact?: boolean;
}

/** Parts of a page, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another tab
  useEffect(() => {
    // Its promise, in newer browsers, is no cleanup.
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
  }, [pathname]);
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="mb-4 flex shrink-0 gap-5 overflow-x-auto border-b border-line"
    >
      {tabs.map(({ label, to, isExact = false }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: isExact, includeSearch: false }}
          className="border-b-2 border-transparent pb-2 text-table whitespace-nowrap text-muted -outline-offset-2! hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
