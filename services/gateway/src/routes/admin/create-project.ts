import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { createProjectBody, projectReply } from "../../schemas/admin.ts";
import { projectJson } from "./admin-json.ts";

export const createProject: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/projects",
    schema: {
      operationId: "createProject",
      tags: ["Administration"],
      summary: "Create a project",
      description: "Agents, sessions and keys of a project are invisible in every other.",
      body: createProjectBody,
      response: { 201: projectReply },
    },
    handler: async (request, reply) => {
      const { name } = request.body;
      const { project } = await context.auth.createProject({ name }, callFor(context, request));
      if (!project) throw internalProblem(new Error("CreateProject returned no project"));
      return reply.code(201).send(projectJson(project));
    },
  });
