import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

const automation = createRoute({
  getParentRoute: () => root,
  path: "/automation",
  component: lazyRouteComponent(() => import("./automation.tsx"), "Automation"),
});

export const automationRoutes = [
  automation.addChildren([
    createRoute({
      getParentRoute: () => automation,
      path: "/schedules",
      component: lazyRouteComponent(() => import("./schedules/schedules.tsx"), "Schedules"),
    }),
    createRoute({
      getParentRoute: () => automation,
      path: "/hooks",
      component: lazyRouteComponent(() => import("./hooks/hooks.tsx"), "Hooks"),
    }),
    createRoute({
      getParentRoute: () => automation,
      path: "/webhooks",
      component: lazyRouteComponent(() => import("./webhooks/webhooks.tsx"), "Webhooks"),
    }),
  ]),
] as const;
