import { oneOf, optional, Type, text } from "../schema/index.ts";
import { event } from "./fields.ts";
/** Events of the threads of workforce agents, beside those of their turns, by `type`. */
export const threadEventSchemas = {
  "thread-status": event("thread-status", "The status of the thread has changed.", {
    status: text("The new status."),
    waitingFor: optional(
      Type.Object(
        {
          type: text("`approval` if users have to decide, otherwise `tool`; more can be added."),
          since: text("When the run asked, in ISO 8601."),
          approvalIds: optional(Type.Array(text("An id."), { description: "The ids of the approvals." })),
          toolCallIds: optional(
            Type.Array(text("An id."), { description: "The calls whose services will send the results." }),
          ),
        },
        { description: "The decisions and results that a `queued` thread waits for." },
      ),
    ),
  }),
  "computer-output": event("computer-output", "A command on the agent's computer has written something.", {
    toolCallId: text("The call that runs the command."),
    stream: oneOf("Where it wrote.", ["stdout", "stderr"]),
    text: text("What it wrote."),
  }),
};
