import { onBehalfOf } from "@muster/rpc";
import { deleteKey } from "../../dispatch/hire/agent-keys.ts";
import type { Handler } from "../handler.ts";
import { computerOfTokens } from "./managed-computer.ts";

export const deleteComputerToken: Handler<"deleteComputerToken"> = async (context, request, call) => {
  const key = await computerOfTokens(context, request.computer, call);
  await deleteKey(context, key, request.tokenId, onBehalfOf(call));
  return {};
};
