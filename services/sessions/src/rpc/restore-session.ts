import { create } from "@bufbuild/protobuf";
import { type RestoreSessionResponse, RestoreSessionResponseSchema } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import { problemOfUrl } from "@muster/storage/files";
import { driverOf, found, keyFor } from "../input/caller.ts";
import { readMessages } from "../input/read-messages.ts";
import { checkedInput, filesIn, readObject } from "../input/values.ts";
import { fileOwnerOf, isExpired } from "../store/session-document.ts";
import { assertFiles, referenceCheck } from "../turns/begin/assert-files.ts";
import { restoreConversation } from "../turns/open/restore-conversation.ts";
import type { Handler } from "./handler.ts";

export const restoreSession: Handler<"restoreSession"> = async (context, request, call) => {
  const key = keyFor(driverOf(call), request.sessionId);
  const issues = new Issues();
  const given = await readObject(issues, "input", request.inputJson);
  const { projectId, sessionId } = key;
  const check = referenceCheck(context, { projectId, ownerIds: [sessionId] });
  const messages = await readMessages(issues, request.messagesJson, {
    problemOfUrl: (url) => problemOfUrl(check, url),
  });
  issues.refuse();
  const session = found(key, await context.store.find(key));
  if (!isExpired(session, context.clock.now())) return answer(false);
  const program = await context.programs.pinned(session, "interactive", call);
  const values = checkedInput(program.input, given);
  await assertFiles(context, fileOwnerOf(session), filesIn(program.input, values));
  const kept = { program, messages, input: JSON.stringify(values) };
  return answer(await restoreConversation(context, key, session, kept));
};

function answer(restored: boolean): RestoreSessionResponse {
  return create(RestoreSessionResponseSchema, { restored });
}
