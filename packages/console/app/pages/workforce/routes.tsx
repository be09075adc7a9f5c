import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/root-route.tsx";

export const workforceRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/workforce",
    component: lazyRouteComponent(() => import("./board.tsx"), "Board"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workforce/hire",
    component: lazyRouteComponent(() => import("./hire.tsx"), "Hire"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workforce/computers",
    component: lazyRouteComponent(() => import("./computers.tsx"), "Computers"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workforce/computers/$computerId",
    component: lazyRouteComponent(() => import("./computer.tsx"), "ComputerPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workforce/$agentId",
    component: lazyRouteComponent(() => import("./agent.tsx"), "Agent"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workforce/$agentId/$tab",
    component: lazyRouteComponent(() => import("./agent.tsx"), "Agent"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workforce/$agentId/threads/$threadId",
    component: lazyRouteComponent(() => import("./thread.tsx"), "ThreadPage"),
  }),
] as const;
