import { type AddRoute, callFor } from "../../context.ts";
import { projectListReply } from "../../schemas/admin.ts";
import { projectJson } from "./admin-json.ts";

export const listProjects: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/projects",
    schema: {
      operationId: "listProjects",
      tags: ["Administration"],
      summary: "List projects, oldest first",
      description: "A key for one project lists only that project.",
      response: { 200: projectListReply },
    },
    handler: async (request) => {
      const { projects } = await context.auth.listProjects({}, callFor(context, request));
      return { projects: projects.map(projectJson) };
    },
  });
