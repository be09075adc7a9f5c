import type { Credential } from "@muster/client";
import { Navigate, Outlet, useLocation } from "@tanstack/react-router";
import { useCredential } from "../../frame/credential.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";

const tabs = [
  { label: "Schedules", to: "/automation/schedules", permission: "workforce" },
  { label: "Hooks", to: "/automation/hooks", permission: "workforce" },
  { label: "Webhooks", to: "/automation/webhooks", permission: "admin" },
] as const satisfies ReadonlyArray<{ permission: Credential["permissions"][number]; [name: string]: string }>;

/** The tabs that the key may use. */
export function Automation() {
  const { permissions } = useCredential();
  const { pathname } = useLocation();
  const open = tabs.filter(({ permission }) => permissions.includes(permission));
  const [first] = open;
  if (pathname.replace(/\/$/, "") === "/automation" && first !== undefined)
    return <Navigate to={first.to} replace />;
  return (
    <Page title="Automation">
      <div className="flex h-full min-h-0 flex-col">
        <Tabs label="Automation" tabs={open} />
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </div>
    </Page>
  );
}
