import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import type { App } from "../http/app.ts";
import { everyone } from "../limits/byte-budget.ts";
import { createBodyReader } from "./body-reader.ts";
import { collectBody } from "./collect-body.ts";

/** One parser for all bodies, instead of the built-in ones. Other content types are 415. */
export function useJsonBodiesOnly(
  app: Pick<App, "removeAllContentTypeParsers" | "addContentTypeParser" | "addHook">,
) {
  const bodies = createBodyReader();
  app.addHook("onClose", () => bodies.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    assertUtf8(request.headers["content-type"]);
    const body = await collectBody(request);
    return bodies.read(body, request.routeOptions.config.relays, request.owner ?? everyone);
  });
}

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

function assertUtf8(contentType: string | undefined): void {
  const name = charset.exec(contentType ?? "")?.[1];
  if (name === undefined || name.toLowerCase() === "utf-8" || name.toLowerCase() === "utf8") return;
  throw new HttpProblem("UNSUPPORTED_CONTENT_TYPE", "Send the body as UTF-8.");
}

/** Throws 415 for a compressed body, which would otherwise be parsed as plain text. */
export function assertPlainEncoding(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding.toLowerCase() === "identity") return;
  throw new HttpProblem("UNSUPPORTED_CONTENT_TYPE", "Send the body without Content-Encoding.");
}
