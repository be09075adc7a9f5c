import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, root } from "../../frame/root-route.tsx";

const inbox = createRoute({
  getParentRoute: () => root,
  path: "/approvals",
  component: lazyRouteComponent(() => import("./approvals.tsx"), "Approvals"),
});

export const approvalRoutes = [
  inbox.addChildren([
    createRoute({
      getParentRoute: () => inbox,
      path: "/$approvalId",
      component: lazyRouteComponent(() => import("./open-approval.tsx"), "OpenApproval"),
    }),
  ]),
  createRoute({
    getParentRoute: () => root,
    path: "/approvals/decided",
    validateSearch: filters("status"),
    component: lazyRouteComponent(() => import("./decided.tsx"), "Decided"),
  }),
] as const;
