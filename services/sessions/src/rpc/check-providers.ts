import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type { ProviderCheck, ProviderStatus as Status } from "@muster/models";
import {
  type CheckProvidersRequest,
  type CheckProvidersResponse,
  CheckProvidersResponseSchema,
  ProviderStatus,
} from "@muster/proto/sessions";
import { callerOf, refuseToken, requirePermission } from "@muster/rpc";
import type { Handler } from "./handler.ts";

export const checkProviders: Handler<CheckProvidersRequest, CheckProvidersResponse> = async (
  context,
  _request,
  call,
) => {
  assertMayAsk(call);
  const checks = await context.models.checkProviders();
  return create(CheckProvidersResponseSchema, { providers: checks.map(stateOf) });
};

function assertMayAsk(call: HandlerContext): void {
  const caller = refuseToken(callerOf(call), "check model providers");
  requirePermission(caller, "sessions", "agents", "admin");
}

const statuses: Record<Status, ProviderStatus> = {
  ok: ProviderStatus.OK,
  not_configured: ProviderStatus.NOT_CONFIGURED,
  key_refused: ProviderStatus.KEY_REFUSED,
  unreachable: ProviderStatus.UNREACHABLE,
};

function stateOf({ name, status, message = "", checkedAtMs }: ProviderCheck) {
  return {
    name,
    status: statuses[status],
    message,
    ...(checkedAtMs !== undefined && { checkTime: timestampFromMs(checkedAtMs) }),
  };
}
