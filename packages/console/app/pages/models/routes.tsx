import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, root } from "../../frame/root-route.tsx";

export const modelRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/models",
    validateSearch: filters("text", "provider"),
    component: lazyRouteComponent(() => import("./models.tsx"), "Models"),
  }),
] as const;
