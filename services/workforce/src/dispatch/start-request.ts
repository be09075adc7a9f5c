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
import type { StoredFile, ThreadDocument, ThreadOrigin } from "../store/thread-document.ts";

export interface MessageCommand {
  text: string;
  files: StoredFile[];
  idempotency?: Idempotency;
  /** The key that sends it. Absent: the platform does. */
  keyId?: string;
  /** Others than the users of the platform have written parts of it. */
  isForeign?: true;
}

export interface StartCommand extends MessageCommand {
  config: StoredRunConfig;
  ifIdle: boolean;
  callbackUrl?: string;
  /** Absent: a client. */
  origin?: ThreadOrigin;
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

/** A message that the platform itself sends to an agent. */
export interface OwnMessage {
  origin: ThreadOrigin;
  /** Identifies it among those of its origin: a repeated one changes nothing, whatever else it contains. */
  occurrence: string;
  /** If it is set, a message of the occurrence with another one is refused with IDEMPOTENCY_KEY_REUSED. */
  hash?: string;
  text: string;
}

/** The thread of a message of the platform. Throws INVALID_REQUEST if it cannot be a message. */
export function ownStart(message: OwnMessage, config: StoredRunConfig = {}): StartCommand {
  return { ...ownFollowUp(message), config, ifIdle: false, origin: message.origin };
}

/** A message of the platform to an existing thread. Throws INVALID_REQUEST if it cannot be a message. */
export function ownFollowUp({ origin, occurrence, hash = "", text }: OwnMessage): MessageCommand {
  const { kind, id } = origin;
  const issues = new Issues();
  checkMessage(issues, "message", text);
  issues.refuse();
  // Keys of clients contain no spaces, so that none of them can be this one.
  const idempotency = { key: `${kind} ${id} ${occurrence}`, hash };
  return { text, files: [], idempotency, ...(kind === "hook" && { isForeign: true }) };
}

/** Identifies the message of the platform that has started a thread. */
export function occurrenceOf({ idem }: Pick<ThreadDocument, "idem">): string {
  return idem?.key.split(" ").at(-1) ?? "";
}

function readMessage(issues: Issues, { message, files }: Pick<FollowUpRequest, "message" | "files">) {
  checkMessage(issues, "message", message);
  return { text: message, files: readFiles(issues, files) };
}

/** Without undefined fields. */
function plain(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
