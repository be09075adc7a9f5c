import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Frame } from "./frame/frame.tsx";
import { Missing } from "./frame/missing.tsx";
import { Home } from "./pages/home.tsx";

const root = createRootRoute({ component: Frame, notFoundComponent: Missing });

/** Filters stay in the address bar, as plain texts. Empty ones leave it. */
function filters<const Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): Partial<Record<Name, string>> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return value === undefined || value === "" ? [] : [[name, String(value)]];
      }),
    ) as Partial<Record<Name, string>>;
}

const home = createRoute({ getParentRoute: () => root, path: "/", component: Home });

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: filters("agentSlug", "status", "metadata", "subject"),
  component: lazyRouteComponent(() => import("./pages/sessions/sessions.tsx"), "Sessions"),
});
const session = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$sessionId",
  component: lazyRouteComponent(() => import("./pages/sessions/session.tsx"), "Session"),
});

const pages = [home, sessions, session];

export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: "/console",
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
