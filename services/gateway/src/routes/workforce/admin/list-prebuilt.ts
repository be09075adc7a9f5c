import { type AddRoute, callFor } from "../../../context.ts";
import { prebuiltListReply } from "../../../schemas/workforce-admin.ts";

export const listPrebuilt: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/prebuilt",
    schema: {
      operationId: "listPrebuilt",
      tags: ["Workforce administration"],
      summary: "List the pre-built agents that can be hired",
      description: "They ship with the platform and belong to no project.",
      response: { 200: prebuiltListReply },
    },
    handler: async (request) => {
      const { agents } = await context.agents.listPrebuiltAgents({}, callFor(context, request));
      return {
        prebuilt: agents.map(({ slug, version, name, description }) => ({
          slug,
          version,
          name,
          description,
        })),
      };
    },
  });
