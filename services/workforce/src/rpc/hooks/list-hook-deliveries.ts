import { create } from "@bufbuild/protobuf";
import { ListHookDeliveriesResponseSchema } from "@muster/proto/hooks";
import { invalidRequest, pageOf, readPage } from "@muster/rpc";
import { type HookDeliveryDocument, hookDeliveryStatuses, keyOfHook } from "../../store/hook-document.ts";
import { showHookDelivery } from "../../views/show-hook.ts";
import type { Handler } from "../handler.ts";
import { managedHook } from "./managed-hook.ts";

export const listHookDeliveries: Handler<"listHookDeliveries"> = async (context, request, call) => {
  const { size, before } = readPage(request);
  const status = readStatus(request.status);
  const hook = await managedHook(context, request, call);
  const which = { before, ...(status && { status }) };
  const found = await context.hookDeliveries.list(keyOfHook(hook), which, size + 1);
  const { items, nextCursor } = pageOf(found, size);
  return create(ListHookDeliveriesResponseSchema, { deliveries: items.map(showHookDelivery), nextCursor });
};

function readStatus(text: string | undefined): HookDeliveryDocument["status"] | undefined {
  const status = hookDeliveryStatuses.find((known) => known === text);
  if (text === undefined || status !== undefined) return status;
  throw invalidRequest("status", `must be one of ${hookDeliveryStatuses.join(", ")}`);
}
