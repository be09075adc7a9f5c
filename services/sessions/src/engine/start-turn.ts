import type { Block, InteractiveProgram, JsonValue, Program } from "@muster/protocol";
import type { Conversation } from "./conversation.ts";
import { readFrame, type TurnFrame } from "./frame.ts";
import type { Frame, Machine, MachineEnvironment, TurnStart } from "./machine.ts";
import { settle } from "./settle.ts";
import { TurnMachine } from "./turn-machine.ts";

/** What a stored turn needs to go on. */
export interface TurnResume {
  /** The version of the program that the turn began with. */
  program: Program;
  conversation: Conversation;
  /** As it was stored with the conversation. */
  frame: Frame;
  /** Session input variables. */
  sessionInput: Record<string, JsonValue>;
}

/**
 * Makes the machine of a new turn; its first input is `start`. It takes the conversation over and changes it in
 * place, beginning with closing what an earlier turn left open. Throws when the program has no such trigger:
 * callers check the name first.
 */
export function startTurn(start: TurnStart, environment: MachineEnvironment): Machine {
  const { program, conversation, executionId, triggerName, triggerInput, sessionInput } = start;
  settle(conversation);
  const lastSeen = conversation.messages.findLast(({ audience }) => audience === "everyone");
  const frame: TurnFrame = {
    executionId,
    triggerName,
    triggerInput,
    pendingToolCalls: [],
    phase: "new",
    ...(start.sender && { sender: start.sender }),
    dynamicTools: start.dynamicTools,
    messageId: environment.newId("msg"),
    ...(lastSeen && { lastMessageId: lastSeen.partOf ?? lastSeen.id }),
    blockIndex: 0,
    modelSteps: 0,
    itemCount: 0,
    retiredCallIds: [],
    worthSaving: false,
    finishReason: "stop",
  };
  return machine(program, conversation, frame, sessionInput, environment);
}

/**
 * Makes the machine of a turn that was stored, paused (its first input is `tool-results`) or at a `save`
 * (it takes the parts of the model call that followed). Throws on a frame that this engine did not write.
 */
export function resumeTurn(resume: TurnResume, environment: MachineEnvironment): Machine {
  const { program, conversation, frame, sessionInput } = resume;
  return machine(program, conversation, readFrame(frame), sessionInput, environment);
}

function machine(
  program: Program,
  conversation: Conversation,
  frame: TurnFrame,
  sessionInput: Record<string, JsonValue>,
  environment: MachineEnvironment,
): Machine {
  if (program.format !== "interactive") throw new Error("Only interactive programs have turns.");
  const blocks = handlerOf(program, frame.triggerName);
  return new TurnMachine({
    program,
    blocks,
    conversation,
    frame,
    sessionInput,
    environment,
    hasReader: false,
    effects: [],
  });
}

function handlerOf({ handlers }: InteractiveProgram, triggerName: string): readonly Block[] {
  const blocks = Object.hasOwn(handlers, triggerName) ? handlers[triggerName] : undefined;
  if (blocks === undefined) throw new Error(`The program has no trigger ${JSON.stringify(triggerName)}.`);
  return blocks;
}
