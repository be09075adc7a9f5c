import { create } from "@bufbuild/protobuf";
import { ListComputerTokensResponseSchema } from "@muster/proto/computers";
import { listKeys } from "../../dispatch/hire/agent-keys.ts";
import { showKey } from "../../views/show-key.ts";
import type { Handler } from "../handler.ts";
import { computerOfTokens } from "./managed-computer.ts";

export const listComputerTokens: Handler<"listComputerTokens"> = async (context, request, call) => {
  const keys = await listKeys(context, await computerOfTokens(context, request.computer, call));
  return create(ListComputerTokensResponseSchema, { tokens: keys.map(showKey) });
};
