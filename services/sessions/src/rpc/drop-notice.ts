import { callerOf, forbidden, isPlatform } from "@muster/rpc";
import type { Handler } from "./handler.ts";

export const dropNotice: Handler<"dropNotice"> = async ({ noticed }, request, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself takes events.");
  const { documentId, projectId, noticeId } = request;
  await noticed.drop(documentId, projectId, noticeId);
  return {};
};
