import type { Server } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { Logger } from "@muster/service";
import type { PublicCode } from "@muster/wire/error-codes";
import type { FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression } from "fastify";

/** The HTTP server with types derived from the routes' schemas. */
export type App = FastifyInstance<
  Server,
  RawRequestDefaultExpression<Server>,
  RawReplyDefaultExpression<Server>,
  Logger,
  TypeBoxTypeProvider
>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The media types of successes. Default: only `application/json`. */
    produces?: readonly string[];
    /** The error codes of the route, besides those that every route can answer. */
    errors?: readonly PublicCode[];
  }
}
