import { badRequest } from "../../edge/errors/from-any.ts";

interface Named {
  agentId?: string;
  agentSlug?: string;
}

/** The agent of a new session. Throws INVALID_REQUEST unless the body names it in exactly one way. */
export function agentOf({ agentId = "", agentSlug = "" }: Named): Required<Named> {
  if ((agentId === "") === (agentSlug === "")) {
    throw badRequest("body", [{ path: "agentId", message: "must be given, or agentSlug, but not both" }]);
  }
  return { agentId, agentSlug };
}
