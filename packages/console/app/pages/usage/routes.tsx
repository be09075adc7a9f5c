import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const usageRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/usage",
    component: lazyRouteComponent(() => import("./usage.tsx"), "Usage"),
  }),
] as const;
