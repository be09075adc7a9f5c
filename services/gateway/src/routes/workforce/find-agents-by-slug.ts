import { oneOf, optional, type TProperties, Type } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { textOf } from "../../auth/access.ts";
import { callFor, type GatewayContext } from "../../context.ts";
import type { App } from "../../edge/http/app.ts";

const ofOneAgent = /^\/api\/(?:v1|admin)\/workforce\/agents\/:(?<parameter>\w+)/;

const by = optional(oneOf("How to read the agent's id in the path. Default: id.", ["id", "slug"]));

/** All routes of a workforce agent accept its slug with `?by=slug`: the routes themselves see only the id. */
export function findAgentsBySlug(api: App, context: GatewayContext): void {
  api.addHook("onRoute", (route) => {
    const parameter = ofOneAgent.exec(route.url)?.groups?.parameter;
    if (parameter === undefined) return;
    const { querystring } = route.schema ?? {};
    const declared: TProperties = Type.IsObject(querystring) ? querystring.properties : {};
    route.schema = { ...route.schema, querystring: Type.Object({ ...declared, by }) };
    const replace = async (request: FastifyRequest) => {
      const { params, query } = request;
      if (textOf(query, "by") !== "slug") return;
      const slug = String(textOf(params, parameter));
      const { agent } = await context.workforce.getAgent({ slug }, callFor(context, request));
      request.params = { ...Object(params), [parameter]: agent?.id };
    };
    route.preHandler = [replace, ...[route.preHandler ?? []].flat()];
  });
}
