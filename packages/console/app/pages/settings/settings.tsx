import type { Credential } from "@muster/client";
import { Link, Navigate, Outlet } from "@tanstack/react-router";
import { useCredential } from "../../frame/credential.ts";
import { Page } from "../../parts/page.tsx";

type Permission = Credential["permissions"][number];

const tabs = [
  { label: "Keys", to: "/settings/keys", permission: "admin" },
  { label: "Tokens", to: "/settings/tokens", permission: "mint-tokens" },
  { label: "Projects", to: "/settings/projects", permission: "admin" },
  { label: "Providers", to: "/settings/providers", permission: "admin" },
  { label: "Identity providers", to: "/settings/identity-providers", permission: "admin" },
  { label: "Limits", to: "/settings/limits", permission: "admin" },
  { label: "Audit", to: "/settings/audit", permission: "admin" },
] as const satisfies ReadonlyArray<{ permission: Permission; [name: string]: string }>;

function useTabs() {
  const { permissions } = useCredential();
  return tabs.filter(({ permission }) => permissions.includes(permission));
}

/** The tabs that the key may use, each with an address of its own. */
export function Settings() {
  return (
    <Page title="Settings">
      <div className="flex h-full min-h-0 flex-col gap-4">
        <nav aria-label="Settings" className="flex shrink-0 gap-1 overflow-x-auto border-b border-line">
          {useTabs().map(({ label, to }) => (
            <Link
              key={to}
              to={to}
              className="-mb-px border-b-2 border-transparent px-3 py-2 text-table whitespace-nowrap text-muted -outline-offset-2! hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </div>
    </Page>
  );
}

export function FirstTab() {
  const [first] = useTabs();
  return first === undefined ? null : <Navigate to={first.to} replace />;
}
