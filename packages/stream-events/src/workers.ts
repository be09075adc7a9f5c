import { event, interrupted, json, optional, text } from "./fields.ts";

const workerId = text("The id of this run of the worker; unique in the stream.");
const workerSlug = text("The worker's slug.");

/** Events about a worker as seen from outside. Those from inside it have its `workerId`. */
export const workerEvents = {
  "worker-start": event("worker-start", "A worker starts.", {
    workerId,
    workerSlug,
    description: optional(text("What it does, for users.")),
    input: optional(json("Its input, an object.")),
  }),
  "worker-result": event("worker-result", "A worker has ended.", {
    workerId,
    output: optional(json("What it returned; absent if it declares no output.")),
    error: optional(text("Why it failed.")),
    ...interrupted,
  }),
  "worker-input-start": event(
    "worker-input-start",
    "The model starts to write the input of a worker. Not sent yet.",
    {
      workerId,
      workerSlug,
      description: optional(text("What it does, for users.")),
    },
  ),
  "worker-input-delta": event("worker-input-delta", "The input continues. Not sent yet.", {
    workerId,
    delta: text("A piece of the input's JSON."),
  }),
  "worker-input-ready": event("worker-input-ready", "The input is complete. Not sent yet.", {
    workerId,
    input: json("The input, an object."),
  }),
};
