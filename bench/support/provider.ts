import { once } from "node:events";
import type { Server } from "node:net";

/** One event of a reply in the format of OpenAI's chat completions. */
export function event(rest: object): string {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_770_000_000, model: "bench" };
  return `data: ${JSON.stringify({ ...chunk, ...rest })}\n\n`;
}

export function frame(delta: object, finishReason: string | null = null): string {
  return event({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
}

/** A whole reply. */
export function reply(deltas: readonly object[], finishReason = "stop"): string {
  return `${deltas.map((delta) => frame(delta)).join("")}${frame({}, finishReason)}data: [DONE]\n\n`;
}

/** The free port of loopback on which the server then listens. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}
