import { create } from "@bufbuild/protobuf";
import { CreateComputerTokenResponseSchema } from "@muster/proto/computers";
import { Issues } from "@muster/rpc";
import { createKey } from "../../dispatch/hire/agent-keys.ts";
import { checkName } from "../../input/texts.ts";
import { showKey } from "../../views/show-key.ts";
import type { Handler } from "../handler.ts";
import { computerOfTokens } from "./managed-computer.ts";

export const createComputerToken: Handler<"createComputerToken"> = async (context, request, call) => {
  const key = await computerOfTokens(context, request.computer, call);
  const { name, expiresAt } = request;
  const issues = new Issues();
  checkName(issues, "name", name);
  issues.refuse();
  const { apiKey, secret } = await createKey(context, key, { name, expiresAt });
  const { computerId } = key;
  return create(CreateComputerTokenResponseSchema, { token: showKey(apiKey), secret, computerId });
};
