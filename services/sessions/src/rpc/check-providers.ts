import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type { ProviderCheck, ProviderStatus as Status } from "@muster/models";
import { CheckProvidersResponseSchema, ProviderStatus } from "@muster/proto/sessions";
import { type CallPrincipal, callerOf, refuseToken, requirePermission } from "@muster/rpc";
import type { Handler } from "./handler.ts";

export const checkProviders: Handler<"checkProviders"> = async (context, _request, call) => {
  const { projectId } = assertMayAsk(call);
  const checks = await context.models.checkProviders(await context.projectSettings.keysOf(projectId));
  return create(CheckProvidersResponseSchema, { providers: checks.map(stateOf) });
};

function assertMayAsk(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "check model providers");
  requirePermission(caller, "sessions", "agents");
  return caller;
}

const statuses: Record<Status, ProviderStatus> = {
  ok: ProviderStatus.OK,
  not_configured: ProviderStatus.NOT_CONFIGURED,
  key_refused: ProviderStatus.KEY_REFUSED,
  unreachable: ProviderStatus.UNREACHABLE,
};

function stateOf({ name, status, message = "", checkedAtMs, usesProjectKey }: ProviderCheck) {
  return {
    name,
    status: statuses[status],
    message,
    ...(usesProjectKey && { usesProjectKey }),
    ...(checkedAtMs !== undefined && { checkedAt: timestampFromMs(checkedAtMs) }),
  };
}
