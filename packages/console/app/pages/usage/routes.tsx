import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, root } from "../../frame/root-route.tsx";

export const usageRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/usage",
    validateSearch: filters("range", "by", "of"),
    component: lazyRouteComponent(() => import("./usage.tsx"), "Usage"),
  }),
] as const;
