import { deleteKey } from "../../dispatch/hire/agent-keys.ts";
import type { Handler } from "../handler.ts";
import { computerOfTokens } from "./managed-computer.ts";

export const deleteComputerToken: Handler<"deleteComputerToken"> = async (context, request, call) => {
  await deleteKey(context, await computerOfTokens(context, request.computer, call), request.tokenId);
  return {};
};
