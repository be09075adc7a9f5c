import { Outlet } from "@tanstack/react-router";
import { Page } from "../../parts/page.tsx";
import { TabLinks } from "../../parts/tab-links.tsx";

const tabs = [
  { label: "MCP servers", to: "/tools" },
  { label: "Secrets of HTTP tools", to: "/tools/secrets" },
];

export function Tools() {
  return (
    <Page title="Tools">
      <div className="flex h-full min-h-0 flex-col gap-4">
        <TabLinks label="Tools" tabs={tabs} />
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </div>
    </Page>
  );
}
