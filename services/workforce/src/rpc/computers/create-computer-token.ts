import { create } from "@bufbuild/protobuf";
import type { MachineKey } from "@muster/computers";
import { CreateComputerTokenResponseSchema } from "@muster/proto/computers";
import { Issues, onBehalfOf } from "@muster/rpc";
import type { OwnCallOptions, WorkforceContext } from "../../context.ts";
import { createKey, deleteKey } from "../../dispatch/hire/agent-keys.ts";
import { checkName } from "../../input/texts.ts";
import { unknownComputer } from "../../store/refusals.ts";
import { showKey } from "../../views/show-key.ts";
import type { Handler } from "../handler.ts";
import { computerOfTokens } from "./managed-computer.ts";

export const createComputerToken: Handler<"createComputerToken"> = async (context, request, call) => {
  const key = await computerOfTokens(context, request.computer, call);
  const { name, expiresAt } = request;
  const issues = new Issues();
  checkName(issues, "name", name);
  issues.refuse();
  const { apiKey, secret } = await createKey(context, key, { name, expiresAt }, onBehalfOf(call));
  await assertThere(context, key, apiKey.id, onBehalfOf(call));
  const { computerId } = key;
  return create(CreateComputerTokenResponseSchema, { token: showKey(apiKey), secret, computerId });
};

/** An agent that was deleted meanwhile leaves neither its computer nor this token. Throws NOT_FOUND. */
async function assertThere(
  context: WorkforceContext,
  key: MachineKey,
  tokenId: string,
  by: OwnCallOptions,
): Promise<void> {
  const { store } = context.computers.machines;
  const { projectId } = key;
  const machine = await store.find(key);
  const agentId = machine?.agentId;
  const isOrphan = agentId !== undefined && (await context.agents.find({ projectId, agentId })) === null;
  if (machine !== null && !machine.deleting && !isOrphan) return;
  await deleteKey(context, key, tokenId, by);
  if (isOrphan) await store.delete(key);
  throw unknownComputer();
}
