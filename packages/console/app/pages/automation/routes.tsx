import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const automationRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/automation",
    component: lazyRouteComponent(() => import("./automation.tsx"), "Automation"),
  }),
] as const;
