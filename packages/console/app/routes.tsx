import { createRoute, createRouter } from "@tanstack/react-router";
import { root } from "./frame/root-route.tsx";
import { agentRoutes } from "./pages/agents/routes.tsx";
import { approvalRoutes } from "./pages/approvals/routes.tsx";
import { automationRoutes } from "./pages/automation/routes.tsx";
import { Home } from "./pages/home/home.tsx";
import { modelRoutes } from "./pages/models/routes.tsx";
import { sessionRoutes } from "./pages/sessions/routes.tsx";
import { settingsRoutes } from "./pages/settings/routes.tsx";
import { toolRoutes } from "./pages/tools/routes.tsx";
import { usageRoutes } from "./pages/usage/routes.tsx";
import { workforceRoutes } from "./pages/workforce/routes.tsx";
import { Button } from "./parts/button.tsx";
import { Empty } from "./parts/empty.tsx";
import { Page } from "./parts/page.tsx";

const home = createRoute({ getParentRoute: () => root, path: "/", component: Home });

/** Every address below `/console`. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    ...sessionRoutes,
    ...agentRoutes,
    ...workforceRoutes,
    ...approvalRoutes,
    ...automationRoutes,
    ...toolRoutes,
    ...modelRoutes,
    ...usageRoutes,
    ...settingsRoutes,
  ]),
  basepath: "/console",
  // Each page has its own boundary, so that the frame stays.
  defaultErrorComponent: Broken,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/** Replaces a page whose code has failed. All other pages still work. */
function Broken({ error }: { error: unknown }) {
  return (
    <Page title="This page is broken">
      <Empty title="The console cannot show this page">
        <p role="alert" className="mb-3 break-words">
          {error instanceof Error ? error.message : String(error)}
        </p>
        <Button onClick={() => location.reload()}>Load it again</Button>
      </Empty>
    </Page>
  );
}
