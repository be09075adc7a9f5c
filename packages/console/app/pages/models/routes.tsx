import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const modelRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/models",
    component: lazyRouteComponent(() => import("./models.tsx"), "Models"),
  }),
] as const;
