import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AgentSummary, Format } from "@muster/proto/agents";
import { integer, list, object, Type, text } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { modelOfAgent } from "../openai/agent-of-model.ts";
import { openAiErrors } from "../openai/error-body.ts";

const model = object("ChatModel", "An interactive agent.", {
  id: text("`muster/<slug>`, the `model` of requests."),
  object: Type.Literal("model", { description: "The kind of document." }),
  created: integer("When the agent was created, in seconds since 1970."),
  owned_by: text("Always `muster`."),
});

const modelList = object("ChatModelList", "The interactive agents.", {
  object: Type.Literal("list", { description: "The kind of document." }),
  data: list("All of them.", model),
});

/** The models of the OpenAI API are agents. */
export const chatModels: AddRoute = (app, context) => {
  app.route({
    method: "GET",
    url: "/v1/models",
    config: openAiErrors,
    schema: {
      operationId: "listChatModels",
      tags: ["Dialects"],
      summary: "List the agents as models, as the OpenAI API does",
      response: { 200: modelList },
    },
    handler: async (request) => ({ object: "list" as const, data: await modelsFor(context, request) }),
  });
  app.route({
    method: "GET",
    url: "/v1/models/:model",
    config: openAiErrors,
    schema: {
      operationId: "getChatModel",
      tags: ["Dialects"],
      summary: "Read an agent as a model, as the OpenAI API does",
      params: Type.Object({ model: text("The agent: `muster/<slug>`.") }),
      response: { 200: model },
    },
    handler: async (request) => {
      const models = await modelsFor(context, request);
      const found = models.find(({ id }) => id === request.params.model);
      if (found === undefined)
        throw new HttpProblem("NOT_FOUND", "The model does not exist in this project.");
      return found;
    },
  });
};

/** The interactive agents. */
async function modelsFor(context: GatewayContext, request: FastifyRequest) {
  const { agents } = await context.agents.listAgents({}, callFor(context, request));
  return agents.filter(({ settings }) => settings?.format === Format.INTERACTIVE).map(toModel);
}

function toModel({ settings, createdAt }: AgentSummary) {
  const created = createdAt === undefined ? 0 : Math.floor(timestampMs(createdAt) / 1_000);
  return { id: modelOfAgent(settings?.slug ?? ""), object: "model" as const, created, owned_by: "muster" };
}
