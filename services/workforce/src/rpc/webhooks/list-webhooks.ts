import { create } from "@bufbuild/protobuf";
import { ListWebhooksResponseSchema } from "@muster/proto/webhooks";
import { adminOf } from "@muster/rpc";
import { showWebhook } from "../../views/show-webhook.ts";
import type { Handler } from "../handler.ts";

export const listWebhooks: Handler<"listWebhooks"> = async ({ webhooks }, _request, call) => {
  const { projectId } = adminOf(call);
  const found = await webhooks.list(projectId);
  return create(ListWebhooksResponseSchema, { webhooks: found.map(showWebhook) });
};
