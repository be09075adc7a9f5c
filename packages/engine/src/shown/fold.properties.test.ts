import assert from "node:assert/strict";
import type { UiMessage, UiMessagePart } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import type { Block, Program } from "@muster/language";
import fc from "fast-check";
import { test } from "vitest";
import { CompactionTally, earlierTurns, tinyEnvironment } from "../../test/support/arbitrary-contexts.ts";
import { type Happening, happenings, inputFor, isRunning } from "../../test/support/arbitrary-happenings.ts";
import { program as anyProgram, libraryOf } from "../../test/support/arbitrary-programs.ts";
import { beginningOf, eventsOf } from "../../test/support/play.ts";
import { withoutApprovals } from "../../test/support/without-approvals.ts";
import type { Input } from "../boundary/machine.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { finalLength } from "../conversation/messages.ts";
import { rollback } from "../conversation/rollback.ts";
import { beginTurn } from "../machine/begin-turn.ts";
import { toUiMessages } from "./ui-messages.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 400 * Number(process.env.LONG_RUN ?? 1);
const dynamicTools = [{ name: "dynamic", description: "Dynamic", inputSchema: { type: "object" } }];

/** The blocks as in a definition, where they are the keys of a map. */
function named(blocks: readonly Block[]): Block[] {
  return blocks.map((block, index) => ({ ...block, name: `${block.name} ${index}` }));
}

const session = anyProgram.map((program): Program => {
  if (program.format === "worker") return program;
  const handlers = Object.entries(program.handlers).map(([name, blocks]) => [name, named(blocks)]);
  return { ...program, handlers: Object.fromEntries(handlers) };
});

const turn = fc.record({ script: happenings, keep: fc.option(fc.nat(6)) });

/** Plays a turn into the fold; compares whenever the session could be read. */
function playTurn(
  program: Program,
  conversation: Conversation,
  script: readonly Happening[],
  { fold, environment, turnNumber, tally, compare }: Folding,
): void {
  const machine = beginTurn(
    {
      program,
      conversation,
      finalLength: finalLength(conversation.messages),
      executionId: `exe_${turnNumber}`,
      ...beginningOf(program, "words"),
      dynamicTools,
      workers: libraryOf(program),
      sender: { name: "Ada" },
    },
    environment,
  );
  const take = (input: Input) => {
    const effects = machine.advance(input);
    tally.take(effects);
    for (const event of effects.flatMap(eventsOf)) fold.take(event);
    if (effects.at(-1)?.type === "end") compare(machine.conversation);
  };
  take({ type: "start" });
  for (const happening of script) {
    const { phase } = machine.frame;
    if (phase === "over") return;
    if (happening.type === "abort" && phase === "waiting") continue;
    const input = inputFor(machine, happening);
    if (input !== undefined) take(input);
  }
  // A turn that waits may be left: the next one closes it.
  if (isRunning(machine)) take({ type: "abort" });
}

interface Folding {
  fold: EventFold;
  environment: ReturnType<typeof tinyEnvironment>;
  turnNumber: number;
  tally: CompactionTally;
  compare(conversation: Conversation): void;
}

test("a client that folds the events of a session's turns has the messages that the session shows", () => {
  const tally = new CompactionTally();
  const sealLengths = fc.constantFrom(undefined, 1, 100);
  const property = fc.property(
    session.filter(({ format }) => format === "interactive"),
    fc.array(turn, { minLength: 1, maxLength: 3 }),
    sealLengths,
    (program, turns, sealLength) => {
      const environment = tinyEnvironment(0, sealLength);
      const conversation = earlierTurns(program);
      const fold = new EventFold({ messages: toUiMessages(conversation, { view: "ui" }) });
      const compare = (current: Conversation) => {
        for (const view of ["ui", "full"] as const) {
          const shown = toUiMessages(current, { view });
          assert.deepEqual(comparable(fold.messages("stored")), comparable(shown));
        }
        for (const [name, value] of Object.entries(fold.resources))
          assert.deepEqual(value, current.resources[name]);
      };
      for (const [index, { script, keep }] of turns.entries()) {
        if (keep !== null && index > 0) rollBack(conversation, keep);
        playTurn(program, conversation, script, { fold, environment, turnNumber: index, tally, compare });
      }
      tally.endCase();
    },
  );
  fc.assert(property, { numRuns });
  tally.check(numRuns);
});

function rollBack(conversation: Conversation, keep: number): void {
  const ids = toUiMessages(conversation, { view: "ui" }).map(({ id }) => id);
  rollback(conversation, ids[keep] ?? null);
}

/**
 * The stream does not contain the time at which a turn's message was created. A turn that has shown nothing yet is in
 * progress for its client, and may have no message yet for the server.
 */
function comparable(messages: readonly UiMessage[]) {
  return withoutApprovals(messages)
    .filter(({ parts }) => parts.length > 0)
    .map(({ content: _content, visible: _visible, createdAt, ...message }) => ({
      ...message,
      ...(message.role === "user" && { createdAt }),
      parts: message.parts.map(withoutVisible),
    }));
}

function withoutVisible({ visible: _shown, ...part }: UiMessagePart): UiMessagePart {
  return part.type === "worker" ? { ...part, parts: part.parts.map(withoutVisible) } : part;
}
