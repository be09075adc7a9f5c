import { filesUnset } from "@muster/storage/files";
import type { GatewayContext, GatewayFiles } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";

/** Throws UNAVAILABLE if none are configured. */
export function filesOf({ files }: Pick<GatewayContext, "files">): GatewayFiles {
  if (files === undefined) throw new HttpProblem("UNAVAILABLE", filesUnset);
  return files;
}
