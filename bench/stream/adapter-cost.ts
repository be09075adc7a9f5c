import { createModels, type ModelsConfig, readModelsConfig, streamModel } from "@muster/models";
import { Agent, request } from "undici";
import { startHelper } from "./processes.ts";
import { answerEvents, chunksPerStream } from "./script.ts";
import { median } from "./statistics.ts";

// The cost of a model call by itself: CPU per stream of 64 deltas, with different HTTP clients below the AI SDK's
// adapter. Of Muster it uses only packages/models.
// Usage: node bench/stream/adapter-cost.ts [name of one variant]

type Fetch = typeof globalThis.fetch;

const clients = 32;
const warmUpStreams = 300;
const streamsPerRound = 800;
const rounds = 5;
const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];

const agent = new Agent({ connections: clients });

/** undici's `request` below a real `Response`. */
const undiciRequest: Fetch = async (input, init) => {
  const { statusCode, headers, body } = await request(String(input), {
    dispatcher: agent,
    method: "POST",
    headers: Object.fromEntries(new Headers(init?.headers)),
    body: String(init?.body),
  });
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      body.on("data", (chunk: Buffer) => controller.enqueue(new Uint8Array(chunk)));
      body.on("end", () => controller.close());
      body.on("error", (error) => controller.error(error));
    },
  });
  return new Response(stream, {
    status: statusCode,
    headers: { "content-type": String(headers["content-type"]) },
  });
};

/** No HTTP at all: the response is already in memory, in one chunk or in many. */
function canned(chunks: Uint8Array<ArrayBuffer>[]): Fetch {
  return async () => {
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
}

/** Streams one response to its end and returns the number of deltas. */
type Stream = () => Promise<number>;

async function throughAdapter(config: ModelsConfig, fetch?: Fetch): Promise<Stream> {
  const resolved = await createModels(config, fetch && { fetch }).resolve("local/bench");
  if (!resolved.ok) throw new Error(resolved.problem);
  return async () => {
    let deltas = 0;
    for await (const part of streamModel(resolved.model, { prompt }))
      if (part.type === "text-delta") deltas++;
    return deltas;
  };
}

/** For comparison: the default client without an adapter, one `JSON.parse` per event. */
function withoutAdapter(url: string, fetch: Fetch): Stream {
  const body = JSON.stringify({
    model: "bench",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
  });
  return async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: {"));
    return events.filter((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content !== undefined)
      .length;
  };
}

async function measure(stream: Stream, count: number): Promise<number> {
  const before = process.cpuUsage();
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const deltas = await stream();
      if (deltas !== chunksPerStream) throw new Error(`A stream had ${deltas} deltas`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}

const provider = await startHelper(new URL("./provider.ts", import.meta.url));
try {
  const baseUrl = `http://127.0.0.1:${provider.port}/v1`;
  const config = readModelsConfig({ LOCAL_BASE_URL: baseUrl });
  const { deltas, ending } = answerEvents();
  const encode = (text: string) => new TextEncoder().encode(text);
  const variants: Record<string, Stream> = {
    "adapter, global fetch": await throughAdapter({ ...config, useGlobalFetch: true }),
    "adapter, undici request": await throughAdapter(config, undiciRequest),
    "adapter, client of packages/models": await throughAdapter(config),
    "adapter, no HTTP, 65 chunks": await throughAdapter(config, canned([...deltas, ending].map(encode))),
    "adapter, no HTTP, 1 chunk": await throughAdapter(config, canned([encode(deltas.join("") + ending)])),
    "no adapter, global fetch": withoutAdapter(`${baseUrl}/chat/completions`, globalThis.fetch),
  };
  const only = process.argv[2];
  const chosen = Object.entries(variants).filter(([name]) => only === undefined || name.includes(only));
  const costs = new Map<string, number[]>(chosen.map(([name]) => [name, []]));
  for (const [, stream] of chosen) await measure(stream, warmUpStreams);
  for (let round = 0; round < rounds; round++)
    for (const [name, stream] of chosen) costs.get(name)?.push(await measure(stream, streamsPerRound));
  for (const [name, values] of costs)
    console.log(name.padEnd(36), median(values).toFixed(3), "ms CPU per stream");
} finally {
  await agent.close();
  await provider.stop();
}
