import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const toolRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/tools",
    component: lazyRouteComponent(() => import("./tools.tsx"), "Tools"),
  }),
] as const;
