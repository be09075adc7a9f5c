/** The speed at which the client reads a reply; see `bench/README.md`. */
import { Muster } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import { median, print } from "../support/figures.ts";

const deltas = 200_000;
const rounds = 7;
/** Deltas per second of processor time. */
const goal = 100_000;

const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const start = event({ type: "start", messageId: "msg_1", executionId: "exe_1", sessionId: "ses_1" });
const delta = (index: number) => event({ type: "text-delta", id: "txt_1", delta: `word${index % 1_000} ` });
const frames = [
  start,
  event({
    type: "block-start",
    blockId: "b",
    blockName: "Answer",
    blockType: "next-message",
    display: "stream",
  }),
  event({ type: "text-start", id: "txt_1" }),
  ...Array.from({ length: deltas }, (_, index) => delta(index)),
  event({ type: "finish", finishReason: "stop", executionId: "exe_1" }),
  "data: [DONE]\n\n",
];

/** A response whose pieces have this many frames each. */
function responseOf(framesPerPiece: number): () => Response {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  for (let index = 0; index < frames.length; index += framesPerPiece)
    pieces.push(encoder.encode(frames.slice(index, index + framesPerPiece).join("")));
  return () => {
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[next++];
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/** Deltas per second of this process's CPU time, from the bytes of the response to the events of the turn. */
async function read(open: () => Response, fold?: EventFold): Promise<number> {
  const muster = new Muster({ baseUrl: "http://localhost", token: "t", fetch: async () => open() });
  const before = process.cpuUsage();
  let seen = 0;
  for await (const each of muster.sessions.open("ses_1").trigger("user-message")) {
    fold?.take(each);
    if (each.type === "text-delta") seen += 1;
  }
  const { user, system } = process.cpuUsage(before);
  if (seen !== deltas) throw new Error(`${seen} of ${deltas} deltas have arrived`);
  return (seen / (user + system)) * 1_000_000;
}

async function row(name: string, open: () => Response, fold?: () => EventFold): Promise<void> {
  const speeds: number[] = [];
  for (let round = 0; round < rounds; round++) speeds.push(await read(open, fold?.()));
  const perSecond = median(speeds);
  print({
    name,
    values: [perSecond],
    note: `at least ${goal.toLocaleString("en")}`,
    isReached: perSecond >= goal,
  });
}

print({ name: "deltas per second of CPU time", values: ["here"] });
await row("64 deltas in each piece of the response", responseOf(64));
await row("one delta in each piece", responseOf(1));
await row("64 in each piece, and a message made of them", responseOf(64), () => new EventFold());
