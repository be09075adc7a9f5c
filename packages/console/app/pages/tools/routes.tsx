import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, root } from "../../frame/root-route.tsx";

const tools = createRoute({
  getParentRoute: () => root,
  path: "/tools",
  component: lazyRouteComponent(() => import("./tools.tsx"), "Tools"),
});

export const toolRoutes = [
  tools.addChildren([
    createRoute({
      getParentRoute: () => tools,
      path: "/",
      validateSearch: filters("server"),
      component: lazyRouteComponent(() => import("./mcp-servers.tsx"), "McpServers"),
    }),
    createRoute({
      getParentRoute: () => tools,
      path: "/secrets",
      component: lazyRouteComponent(() => import("./tool-secrets.tsx"), "ToolSecrets"),
    }),
  ]),
] as const;
