import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, root } from "../../frame/root-route.tsx";

export const sessionRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/sessions",
    validateSearch: filters("agentSlug", "status", "metadata", "subject"),
    component: lazyRouteComponent(() => import("./sessions.tsx"), "Sessions"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sessions/$sessionId",
    validateSearch: filters("step"),
    component: lazyRouteComponent(() => import("./session.tsx"), "Session"),
  }),
] as const;
