import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const workforceRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/workforce",
    component: lazyRouteComponent(() => import("./workforce.tsx"), "Workforce"),
  }),
] as const;
