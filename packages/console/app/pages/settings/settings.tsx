import type { Credential } from "@muster/client";
import { Navigate, Outlet } from "@tanstack/react-router";
import { useCredential } from "../../frame/credential.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";

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
      <div className="flex h-full min-h-0 flex-col">
        <Tabs label="Settings" tabs={useTabs()} />
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
