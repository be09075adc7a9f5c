import { Link } from "@tanstack/react-router";

interface Props {
  label: string;
  tabs: ReadonlyArray<{ label: string; to: string }>;
}

/** Tabs that are addresses. */
export function TabLinks({ label, tabs }: Props) {
  return (
    <nav aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label, to }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          className="border-b-2 border-transparent px-3 py-2 text-table whitespace-nowrap text-muted -outline-offset-2! hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
