import type { Server } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { Logger } from "@muster/service";
import type { PublicCode } from "@muster/wire/error-codes";
import type { FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression } from "fastify";
import type { RelayPlan } from "../body/relayed-json.ts";
import type { GatewayContext } from "../context.ts";
import type { ResponseHeader } from "../openapi/headers.ts";

/** The HTTP server with types derived from the routes' schemas. */
export type App = FastifyInstance<
  Server,
  RawRequestDefaultExpression<Server>,
  RawReplyDefaultExpression<Server>,
  Logger,
  TypeBoxTypeProvider
>;

/** Adds one route. */
export type AddRoute = (app: App, context: GatewayContext) => void;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The media types of successes. Default: only `application/json`. */
    produces?: readonly string[];
    /** The values of a large body that the route passes on as JSON. Default: none; the whole body is parsed. */
    relays?: RelayPlan;
    /** The error codes of the route, besides those that every route can answer. */
    errors?: readonly PublicCode[];
    /** Headers of its successes, besides `X-Request-Id`. */
    sends?: readonly ResponseHeader[];
  }
}
