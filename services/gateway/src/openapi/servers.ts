import type { FastifyRequest } from "fastify";
import { baseUrlOf } from "../http/base-url.ts";

/** The document's `servers`: the one that the request has reached. */
export function serversOf(request: FastifyRequest, publicUrl: string | undefined): Array<{ url: string }> {
  return [{ url: publicUrl ?? baseUrlOf(request) ?? "/" }];
}
