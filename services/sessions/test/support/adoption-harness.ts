import assert from "node:assert/strict";
import { foldEvents } from "@muster/client/fold";
import { DisconnectPolicy, type StreamEvent } from "@muster/proto/sessions";
import { checkEvent } from "@muster/wire/events/check";
import { chat } from "./definitions.ts";
import { comparable } from "./folding.ts";
import { type Instance, messagesOf, openSession, say, startWorld, type World } from "./harness.ts";

export type Ids = { sessionId: string; executionId: string };

/** An event with its number. */
export interface Seen {
  sequence: number;
  json: string;
}

export const survivorTimings = { flushEventsEveryMs: 10, pollEventsEveryMs: 10 };

/** Long enough for any machine: a lease of 15 s expires only when the clock of the test says so. */
export const leaseMs = 15_000;

/** A world whose agent `agt_chat` also has a to-do list, so that one response can have several steps. */
export async function startAdoptionWorld(...[test, steps]: Parameters<typeof startWorld>): Promise<World> {
  const world = await startWorld(test, steps);
  world.agents.set("agt_chat", [
    { ...chat, protocol: chat.protocol.replace("  agentic: true\n", "  agentic: true\n  todoList: true\n") },
  ]);
  return world;
}

/** An instance that never renews a lease, like a frozen process. Its models may hang. */
export function addDoomed(
  world: World,
  timings: { flushEventsEveryMs?: number; earlySaveMs?: number; listToolsMs?: number } = {},
  config: Parameters<World["addInstance"]>[0] = {},
) {
  const frozen = { renewEveryMs: 3_600_000, flushEventsEveryMs: 10, drainMs: 20, ...timings };
  return world.addInstance({ ...config, timings: frozen });
}

export const continuing = { onDisconnect: DisconnectPolicy.CONTINUE };

/** Triggers and reads until the events fulfil a condition. The caller's connection stays open, as far as it knows. */
export async function readUntil(
  messages: AsyncIterable<{ events: StreamEvent[] }>,
  isEnough: (seen: readonly Seen[]) => boolean,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const { events } of messages) {
    for (const { sequence, json } of events) seen.push({ sequence, json });
    if (isEnough(seen)) break;
  }
  return seen;
}

export function hasText(words: string) {
  return (seen: readonly Seen[]) => seen.some(({ json }) => json.includes(words));
}

/** Reads without ever leaving, because a reader that leaves would be noticed. */
export async function openTurn(world: World, { client }: Instance, request: object = {}) {
  const sessionId = await openSession(world, { client, stop: async () => undefined });
  const stream = client.trigger({ ...say(sessionId, "hi"), ...continuing, ...request }, world.as());
  return { sessionId, reader: new Reader(stream) };
}

/** Collects a stream in the background. */
export class Reader {
  readonly seen: Seen[] = [];
  readonly ended: Promise<unknown>;
  #waiting: Array<{ isEnough: (seen: readonly Seen[]) => boolean; resolve: () => void }> = [];

  constructor(stream: AsyncIterable<{ events: StreamEvent[] }>) {
    this.ended = this.#read(stream).catch((error: unknown) => error);
  }

  async until(isEnough: (seen: readonly Seen[]) => boolean): Promise<this> {
    if (!isEnough(this.seen)) {
      const met = new Promise<void>((resolve) => this.#waiting.push({ isEnough, resolve }));
      const end = this.ended.then((error) =>
        assert.ok(isEnough(this.seen), `The stream ended first: ${error}`),
      );
      await Promise.race([met, end]);
    }
    return this;
  }

  get executionId(): string {
    return String(JSON.parse(this.seen[0]?.json ?? "{}").executionId);
  }

  async #read(stream: AsyncIterable<{ events: StreamEvent[] }>): Promise<void> {
    for await (const { events } of stream) {
      for (const { sequence, json } of events) this.seen.push({ sequence, json });
      for (const { isEnough, resolve } of this.#waiting) if (isEnough(this.seen)) resolve();
    }
  }
}

/** All events after a cursor, to the end. */
export async function resume(
  world: World,
  { client }: Instance,
  ids: Ids & { toPause?: boolean },
  afterSequence = 0,
): Promise<Seen[]> {
  const reader = new Reader(client.resumeExecution({ ...ids, afterSequence }, world.as()));
  const error = await reader.ended;
  if (error !== undefined) throw error;
  return reader.seen;
}

/** Checks that events folded together equal the session's state, and that no number has two meanings. */
export async function assertWhole(
  world: World,
  instance: Instance,
  sessionId: string,
  earlier: readonly Seen[],
  ...pieces: Seen[][]
): Promise<void> {
  const all = pieces.flat();
  assert.deepEqual(
    all.map(({ sequence }) => sequence),
    all.map(({ sequence }) => sequence).toSorted((one, other) => one - other),
  );
  const events = [...earlier, ...all].map(({ json }) => JSON.parse(json));
  for (const event of events) checkEvent(event);
  const messages = JSON.parse(JSON.stringify(await messagesOf(world, instance, sessionId)));
  assert.deepEqual(comparable(foldEvents(events, { view: "stored" })), comparable(messages));
  assert.ok(messages.every(({ status }: { status: string }) => status === "done"));
}

export function typesIn(seen: readonly Seen[]): string[] {
  const types = seen.map(({ json }): string => JSON.parse(json).type);
  return types.filter((type, index) => type !== types[index - 1]);
}
