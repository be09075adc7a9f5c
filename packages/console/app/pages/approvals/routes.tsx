import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const approvalRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/approvals",
    component: lazyRouteComponent(() => import("./approvals.tsx"), "Approvals"),
  }),
] as const;
