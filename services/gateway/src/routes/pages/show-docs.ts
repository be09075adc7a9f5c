import { readFile } from "node:fs/promises";
import { Type } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import { ReferenceData, sendReferenceData } from "../../edge/http/reference-data.ts";
import { headOf, pageHeaders } from "../recordings/page/document.ts";
import { html } from "../recordings/page/html.ts";

/** Turns off whatever loads from elsewhere, or links to services of the viewer's vendor. */
const configuration = JSON.stringify({
  url: "openapi.json",
  authentication: { preferredSecurityScheme: "apiKey" },
  documentDownloadType: "direct",
  // Its label for parameters that samples leave out.
  customCss: ".parameter-item .property-example { display: none }",
  agent: { disabled: true },
  hideClientButton: true,
  mcp: { disabled: true },
  proxyUrl: "",
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
});

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='6' fill='%231f2937'/%3E%3Cpath d='M8 23V9l8 8 8-8v14' fill='none' stroke='%23fff' stroke-width='3' stroke-linejoin='round'/%3E%3C/svg%3E";

/** The viewer writes styles of its own. Without other origins, these can reveal nothing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

interface Docs {
  page: ReferenceData;
  viewer: ReferenceData;
}

/** The page that shows the OpenAPI document, and its program. Both are made for the first request; a start loads nothing. */
export const showDocs: AddRoute = (app) => {
  let made: Promise<Docs> | undefined;
  const docs = () => {
    made ??= makeDocs();
    return made;
  };
  app.get(
    "/docs",
    { config: { produces: ["text/html"] }, schema: { hide: true } },
    async (_request, reply) => {
      reply.headers(pageHeaders(policy));
      await sendReferenceData(reply, (await docs()).page, { mediaType: "text/html; charset=utf-8" });
      return reply;
    },
  );
  app.get(
    "/docs/",
    { config: { produces: ["text/html"] }, schema: { hide: true } },
    async (_request, reply) => reply.redirect("../docs"),
  );
  app.get(
    "/docs/viewer.js",
    {
      config: { produces: ["text/javascript"] },
      schema: { hide: true, querystring: Type.Object({ v: Type.Optional(Type.String()) }) },
    },
    async (request, reply) => {
      const { viewer } = await docs();
      await sendReferenceData(reply, viewer, {
        mediaType: "text/javascript; charset=utf-8",
        // While a release is replaced, the page of one gateway can ask another.
        ...(request.query.v === viewer.version && { cacheControl: "public, max-age=31536000, immutable" }),
      });
      return reply;
    },
  );
};

async function makeDocs(): Promise<Docs> {
  const entry = import.meta.resolve("@scalar/fastify-api-reference");
  const viewer = new ReferenceData(await readFile(new URL("js/standalone.js", entry)));
  const { text } = html`<!doctype html>
<html lang="en">
<head>
${headOf("Muster API", icon)}</head>
<body>
<noscript>This page needs JavaScript. The same description is in <a href="openapi.json">openapi.json</a>.</noscript>
<div id="api-reference" data-configuration="${configuration}"></div>
<script src="docs/viewer.js?v=${viewer.version}"></script>
</body>
</html>
`;
  return { page: new ReferenceData(Buffer.from(text)), viewer };
}
