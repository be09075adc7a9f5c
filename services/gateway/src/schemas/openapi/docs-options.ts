import type { FastifySwaggerUiOptions } from "@fastify/swagger-ui";

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1f2937"/>' +
  '<path d="M8 23V9l8 8 8-8v14" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round"/></svg>';

/**
 * The page that renders the document. Its policy allows no other origin and omits the preset's
 * `upgrade-insecure-requests`: over plain HTTP from another host, browsers would request its scripts over HTTPS.
 */
export const docsOptions: FastifySwaggerUiOptions = {
  routePrefix: "/docs",
  theme: {
    title: "Muster API",
    favicon: [{ filename: "icon.svg", rel: "icon", type: "image/svg+xml", sizes: "any", content: icon }],
  },
  // Without the bar that shows the logo of Swagger UI and loads other documents.
  uiConfig: {
    layout: "BaseLayout",
    deepLinking: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
  },
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
  // The plugin would make each of these texts again for every request: the YAML in a tenth of a second.
  uiHooks: {
    onRequest: async ({ routeOptions }, reply) => {
      if (routeOptions.url === "/docs/json" || routeOptions.url === "/docs/yaml")
        return reply.redirect("../openapi.json");
    },
  },
};
