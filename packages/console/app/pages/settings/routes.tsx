import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/settings",
    component: lazyRouteComponent(() => import("./settings.tsx"), "Settings"),
  }),
] as const;
