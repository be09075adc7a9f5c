import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, root } from "../../frame/root-route.tsx";

const agent = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agentId",
  component: lazyRouteComponent(() => import("./agent.tsx"), "Agent"),
});

export const agentRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/agents",
    component: lazyRouteComponent(() => import("./agents.tsx"), "Agents"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/agents/new",
    component: lazyRouteComponent(() => import("./new-agent.tsx"), "NewAgent"),
  }),
  agent.addChildren([
    createRoute({
      getParentRoute: () => agent,
      path: "/",
      validateSearch: filters("session"),
      component: lazyRouteComponent(() => import("./try/try.tsx"), "Try"),
    }),
    createRoute({
      getParentRoute: () => agent,
      path: "/definition",
      validateSearch: filters("file"),
      component: lazyRouteComponent(() => import("./definition/definition-tab.tsx"), "DefinitionTab"),
    }),
    createRoute({
      getParentRoute: () => agent,
      path: "/versions",
      validateSearch: ({ from, to }: Record<string, unknown>) => ({
        ...version("from", from),
        ...version("to", to),
      }),
      component: lazyRouteComponent(() => import("./versions.tsx"), "Versions"),
    }),
    createRoute({
      getParentRoute: () => agent,
      path: "/sessions",
      component: lazyRouteComponent(() => import("./agent-sessions.tsx"), "AgentSessions"),
    }),
  ]),
] as const;

function version<Name extends string>(name: Name, value: unknown): { [Key in Name]?: number } {
  const version = Number(value);
  const read: { [Key in Name]?: number } = {};
  if (Number.isInteger(version) && version > 0) read[name] = version;
  return read;
}
