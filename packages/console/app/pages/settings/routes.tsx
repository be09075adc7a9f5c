import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, root } from "../../frame/root-route.tsx";

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings.tsx"), "Settings"),
});

export const settingsRoutes = [
  settings.addChildren([
    createRoute({
      getParentRoute: () => settings,
      path: "/",
      component: lazyRouteComponent(() => import("./settings.tsx"), "FirstTab"),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: "/keys",
      validateSearch: filters("key"),
      component: lazyRouteComponent(() => import("./keys/keys.tsx"), "Keys"),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: "/tokens",
      component: lazyRouteComponent(() => import("./tokens.tsx"), "Tokens"),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: "/projects",
      validateSearch: filters("project"),
      component: lazyRouteComponent(() => import("./projects/projects.tsx"), "Projects"),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: "/providers",
      component: lazyRouteComponent(() => import("./providers.tsx"), "Providers"),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: "/identity-providers",
      validateSearch: filters("provider"),
      component: lazyRouteComponent(
        () => import("./identity-providers/identity-providers.tsx"),
        "IdentityProviders",
      ),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: "/limits",
      component: lazyRouteComponent(() => import("./limits.tsx"), "Limits"),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: "/audit",
      validateSearch: filters("actor", "action", "target", "from", "to", "entry"),
      component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
    }),
  ]),
] as const;
