import { Outlet } from "@tanstack/react-router";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";

const tabs = [
  { label: "MCP servers", to: "/tools", isExact: true },
  { label: "Secrets of HTTP tools", to: "/tools/secrets" },
];

export function Tools() {
  return (
    <Page title="Tools">
      <div className="flex h-full min-h-0 flex-col">
        <Tabs label="Tools" tabs={tabs} />
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </div>
    </Page>
  );
}
