import type { AddRoute } from "../../context.ts";
import type { App } from "../../edge/http/app.ts";
import { cancelThread } from "./cancel-thread.ts";
import { createAgentUploads } from "./create-agent-uploads.ts";
import { deleteRecordings } from "./delete-recordings.ts";
import { followThread } from "./follow-thread.ts";
import { followUp } from "./follow-up.ts";
import { getThread } from "./get-thread.ts";
import { listThreads } from "./list-threads.ts";
import { startThread } from "./start-thread.ts";
import { withdrawThread } from "./withdraw-thread.ts";

const routes = [
  startThread,
  listThreads,
  getThread,
  followUp,
  cancelThread,
  withdrawThread,
  createAgentUploads,
  followThread,
  deleteRecordings,
];

/** The work of one agent: for its own keys under `/api/v1`, for those that manage the project's agents under `/api/admin`. */
export const agentWork: AddRoute = (app, context) => {
  const addTo = (scope: App) => {
    for (const add of routes) add(scope, context);
  };
  app.register(async (own: App) => addTo(own), { prefix: "/api/v1" });
  app.register(
    async (managed: App) => {
      managed.addHook("onRoute", ({ schema }) => {
        if (schema?.operationId === undefined) return;
        schema.operationId = `${schema.operationId}OfAgent`;
        schema.tags = ["Workforce administration"];
      });
      addTo(managed);
    },
    { prefix: "/api/admin" },
  );
};
