import type { WorkerProgram } from "@muster/language";
import type { WorkerState } from "../boundary/frame.ts";
import type { Origin, Turn } from "../turn/turn.ts";
import { conversationOf } from "./run-conversation.ts";

/** The turn of a worker that is running. Its state is that of the worker and of the call that began it. */
export function turnOfWorker(origin: Origin, state: WorkerState, program: WorkerProgram): Turn {
  const { parent, part } = origin;
  const { tree, environment } = parent;
  return {
    program,
    blocks: program.steps,
    conversation: conversationOf(state.memory, part.worker),
    firstMessage: 0,
    frame: state.frame,
    sessionInput: state.input,
    environment,
    hasReader: true,
    get effects() {
      return tree.effects;
    },
    tree,
    origin,
    isSilent: parent.isSilent || part.display !== "stream",
    answered: [],
  };
}
