import { json, optional, Type, text } from "../schema/index.ts";
import { display, event, interrupted } from "./fields.ts";

const workerId = text("The id of this run of the worker; unique in the stream.");
const workerSlug = text("The worker's slug.");

/** Where a worker was called. */
const place = {
  thread: optional(text("The named thread that called it; absent for the main conversation.")),
  parentWorkerId: optional(text("The worker that called it; absent if no worker did.")),
};

const card = {
  description: optional(text("What it does, for users.")),
  display: optional(display),
  ...place,
};

/** Events about a worker as seen from outside. Those from inside it have its `workerId`. */
export const workerEvents = {
  "worker-start": event("worker-start", "A worker starts.", {
    workerId,
    workerSlug,
    input: optional(json("Its input, an object.")),
    ...card,
  }),
  "worker-result": event("worker-result", "A worker has ended.", {
    workerId,
    output: optional(
      json("What it returned; absent if it declares no output, or if its `display` hides it."),
    ),
    error: optional(text("Why it failed.")),
    cancelled: optional(Type.Literal(true, { description: "It was stopped, rather than that it failed." })),
    ...place,
    ...interrupted,
  }),
  "worker-input-start": event("worker-input-start", "The model starts to write the input of a worker.", {
    workerId,
    workerSlug,
    ...card,
  }),
  "worker-input-delta": event("worker-input-delta", "The input continues.", {
    workerId,
    delta: text("A piece of the input's JSON."),
    ...place,
  }),
  "worker-input-ready": event("worker-input-ready", "The input is complete.", {
    workerId,
    input: json("The input, an object."),
    ...place,
  }),
};
