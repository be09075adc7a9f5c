import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FirstTriggerSchema } from "@muster/proto/sessions";
import { type Instance, scriptedModel, type World } from "./harness.ts";

export interface Request {
  agentId?: string;
  agentSlug?: string;
  inputJson?: string;
  metadataJson?: string;
  trigger?: MessageInitShape<typeof FirstTriggerSchema>;
  wantsResult?: boolean;
  idempotencyKey?: string;
}

/** A request for a session of `agt_chat` in which a user says something. */
export function startSaying(text: string, trigger: object = {}, more: Request = {}): Request {
  const inputJson = JSON.stringify({ TEXT: text });
  return { agentId: "agt_chat", trigger: { triggerName: "say", inputJson, ...trigger }, ...more };
}

export const scripted = { inputJson: JSON.stringify({ MODEL: scriptedModel }) };

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The whole response. */
export async function readStart({ client }: Pick<Instance, "client">, world: World, request: Request) {
  const messages = await all(client.startSession(request, world.as()));
  const events = messages.flatMap((message) => message.events);
  return {
    session: messages[0]?.session,
    numbers: events.map(({ sequence }) => sequence),
    json: events.map(({ json }) => json),
    result: messages.at(-1)?.result,
  };
}

/** Without the messages that have no events. */
export async function* skipEmpty<T extends { events: unknown[] }>(
  stream: AsyncIterable<T>,
): AsyncIterable<T> {
  for await (const message of stream) if (message.events.length > 0) yield message;
}
