import { BodyGate, Pace } from "./body-gate.ts";
import type { ResponseBounds } from "./response-bounds.ts";

type Fetch = typeof globalThis.fetch;
type Bytes = Uint8Array<ArrayBuffer>;

/** A `fetch` whose response bodies are bounded. */
export function boundFetch(fetch: Fetch, bounds: ResponseBounds): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    return new Response(boundBody(body, status, bounds), { status, statusText, headers });
  };
}

/** Applies the bounds to a body that no `BodyStream` has seen, or not yet in its decoded form. */
export function boundBody(
  body: ReadableStream<Bytes>,
  status: number,
  bounds: ResponseBounds,
): ReadableStream<Bytes> {
  const gate = new BodyGate(status, bounds);
  const pace = new Pace(bounds.maxBytesPerSecond);
  return body.pipeThrough(
    new TransformStream<Bytes, Bytes>({
      async transform(chunk, controller) {
        const { buffer, byteOffset, byteLength } = chunk;
        const admitted = gate.admit(Buffer.from(buffer, byteOffset, byteLength));
        controller.enqueue(new Uint8Array(admitted));
        if (gate.isFull) controller.terminate();
        await pace.wait(byteLength);
      },
    }),
  );
}
