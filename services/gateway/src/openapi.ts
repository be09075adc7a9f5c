import type { SwaggerOptions } from "@fastify/swagger";
import type { FastifySwaggerUiOptions } from "@fastify/swagger-ui";
import type { RouteOptions } from "fastify";
import { errorBody } from "./schemas/common.ts";

const description = [
  "Authenticate with `Authorization: Bearer <API_KEY>`.",
  "Every response has an `X-Request-Id` header; every error has the same body, and its `code` never changes.",
].join(" ");

/** How the routes' schemas become the OpenAPI document. */
export const openapiOptions: SwaggerOptions = {
  openapi: {
    openapi: "3.1.0",
    info: { title: "Muster", version: "0.1.0", description },
    tags: ["Sessions", "Agents", "Models", "Administration", "System"].map((name) => ({ name })),
    components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
  },
  transform: ({ schema, url, route }) => ({ schema: { ...schema, ...additionsFor(schema, route) }, url }),
};

/**
 * The page that renders the document. Its policy allows no other origin and omits the preset's
 * `upgrade-insecure-requests`: over plain HTTP from another host, browsers would request its scripts over HTTPS.
 */
export const docsOptions: FastifySwaggerUiOptions = {
  routePrefix: "/docs",
  theme: { title: "Muster API" },
  staticCSP: {
    "default-src": "'self'",
    "base-uri": "'self'",
    "font-src": ["'self'", "data:"],
    "frame-ancestors": "'self'",
    "img-src": ["'self'", "data:"],
    "object-src": "'none'",
    "script-src": "'self'",
    "script-src-attr": "'none'",
    "style-src": "'self'",
  },
};

function additionsFor(schema: RouteOptions["schema"], { config }: RouteOptions) {
  const access = config?.access;
  if (access === undefined) return {};
  const responses = typeof schema?.response === "object" ? schema.response : {};
  return {
    response: { ...responses, default: errorBody },
    ...(access === "public"
      ? {}
      : {
          security: [{ apiKey: [] }],
          description: `Needs a key with the permission ${access.join(" or ")}.`,
        }),
  };
}
