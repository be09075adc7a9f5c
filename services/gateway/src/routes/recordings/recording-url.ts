import type { Recording } from "@muster/proto/workforce";
import type { FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { baseUrlOf } from "../../edge/http/base-url.ts";

/** The address of the video: permanent if public, otherwise signed again with each call. Null until there is one. */
export function recordingUrl(
  { recordingFiles, publicUrl }: Pick<GatewayContext, "recordingFiles" | "publicUrl">,
  request: Pick<FastifyRequest, "protocol" | "host">,
  { id, status, visibility }: Recording,
): string | null {
  const base = publicUrl ?? baseUrlOf(request);
  if (status !== "ready" || id === "" || recordingFiles === undefined || base === undefined) return null;
  const query = visibility === "public" ? "" : `?token=${recordingFiles.addresses.sign(id)}`;
  return `${base}/r/${id}.webm${query}`;
}
