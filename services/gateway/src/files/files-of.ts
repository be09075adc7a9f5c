import { type Files, filesUnset } from "@muster/files";
import type { GatewayContext } from "../context.ts";
import { HttpProblem } from "../errors/http-problem.ts";

/** Throws UNAVAILABLE if none are configured. */
export function filesOf({ files }: Pick<GatewayContext, "files">): Files {
  if (files === undefined) throw new HttpProblem("UNAVAILABLE", filesUnset);
  return files;
}
