import type { WorkerProgram } from "@muster/language";
import type { WorkerRun } from "../boundary/frame.ts";
import type { Origin, Turn } from "../turn/turn.ts";
import { conversationOf } from "./run-conversation.ts";

/** The turn of a worker that is running. Its state is that of the run and of the call that started it. */
export function turnOfRun(origin: Origin, run: WorkerRun, program: WorkerProgram): Turn {
  const { parent, part } = origin;
  const { tree, environment } = parent;
  return {
    program,
    blocks: program.steps,
    conversation: conversationOf(run.memory, part.worker),
    firstMessage: 0,
    frame: run.frame,
    sessionInput: run.input,
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
