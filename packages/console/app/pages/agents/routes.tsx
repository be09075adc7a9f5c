import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const agentRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/agents",
    component: lazyRouteComponent(() => import("./agents.tsx"), "Agents"),
  }),
] as const;
