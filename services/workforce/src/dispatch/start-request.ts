import type { JsonValue } from "@muster/language";
import { canonicalHash } from "@muster/large-data";
import type { FollowUpRequest, StartThreadRequest } from "@muster/proto/workforce";
import { type Idempotency, Issues, readIdempotency } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { readFiles } from "../input/read-files.ts";
import { checkUrl } from "../input/read-webhook.ts";
import { readRunConfig } from "../input/run-config.ts";
import { checkMessage } from "../input/texts.ts";
import type { StoredRunConfig } from "../store/run-config.ts";
import type { StoredFile } from "../store/thread-document.ts";

export interface MessageCommand {
  text: string;
  files: StoredFile[];
  idempotency?: Idempotency;
  /** The key that sends it. */
  keyId?: string;
}

export interface StartCommand extends MessageCommand {
  config: StoredRunConfig;
  ifIdle: boolean;
  callbackUrl?: string;
}

/** Throws INVALID_REQUEST with every issue, or INVALID_IDEMPOTENCY_KEY. */
export async function readStart(
  context: Pick<WorkforceContext, "checkWebhookUrl">,
  request: StartThreadRequest,
): Promise<StartCommand> {
  const issues = new Issues();
  const { text, files } = readMessage(issues, request);
  const config = readRunConfig(issues, "config", request.config);
  const { ifIdle, callbackUrl } = request;
  if (callbackUrl !== undefined) checkUrl(context, issues, "callback.url", callbackUrl);
  issues.refuse();
  // A default that is given makes no difference, nor does an empty configuration.
  const body = {
    text,
    files: plain(files),
    config: plain({ ...config, capabilities: config.capabilities ?? {} }),
    ifIdle,
    ...(callbackUrl !== undefined && { callbackUrl }),
  };
  const idempotency = await readIdempotency(request.idempotencyKey, () => canonicalHash(body));
  return {
    ...{ text, files, config, ifIdle },
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(idempotency && { idempotency }),
  };
}

/** Throws INVALID_REQUEST with every issue, or INVALID_IDEMPOTENCY_KEY. */
export async function readFollowUp(request: FollowUpRequest): Promise<MessageCommand> {
  const issues = new Issues();
  const { text, files } = readMessage(issues, request);
  issues.refuse();
  const idempotency = await readIdempotency(request.idempotencyKey, () =>
    canonicalHash({ text, files: plain(files) }),
  );
  return { text, files, ...(idempotency && { idempotency }) };
}

function readMessage(issues: Issues, { message, files }: Pick<FollowUpRequest, "message" | "files">) {
  checkMessage(issues, "message", message);
  return { text: message, files: readFiles(issues, files) };
}

/** Without undefined fields. */
function plain(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
