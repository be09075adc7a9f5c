import type { Goodbye, PlatformFrame, Welcome } from "@muster/proto/computer-frames";
import type { WebSocket } from "ws";
import type { Calls, CallsLink } from "../calls/calls.ts";
import { FileRequests } from "../files/file-requests.ts";
import type { Folder } from "../files/folder.ts";
import { decodeFrame, encodeFrame, outcomeFrame } from "./frames.ts";

export interface Timing {
  pingMs: number;
  /** Either side cuts a connection on which it hears nothing for so long. */
  silentMs: number;
}

export interface ConnectionOptions {
  socket: WebSocket;
  hello: Parameters<typeof encodeFrame>[0];
  calls: Calls;
  folder: Folder;
  timing: Timing;
  /** Throws if the connection must not be used. */
  welcome(welcome: Welcome): void;
  signal: AbortSignal;
}

/** Frames that wait for their turn; the socket is not read meanwhile. */
const maxWaitingFrames = 16;
/** Output is only shown, so it is dropped if the connection does not take it. */
const maxWaitingBytes = 4 * 1024 * 1024;
const closeWaitMs = 1_000;

/** Serves an open connection until it ends. Resolves with the platform's farewell; undefined if it was cut. */
export async function serveConnection(options: ConnectionOptions): Promise<Goodbye | undefined> {
  const { socket, hello, calls, folder, timing, signal } = options;
  const send = (frame: Parameters<typeof encodeFrame>[0]): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.send(encodeFrame(frame), (error) => (error ? reject(error) : resolve()));
    });
  const link: CallsLink = {
    outcome: (id, outcome) => send(outcomeFrame(id, outcome)),
    output({ id, ...piece }) {
      if (socket.bufferedAmount > maxWaitingBytes) return;
      send({ case: "output", value: { key: id, ...piece } }).catch(() => {});
    },
  };
  const files = new FileRequests(folder, (id, { bytes, entries, error, isMissing = false, done }) => {
    if (bytes !== undefined)
      return send({ case: "file", value: { id, response: { case: "bytes", value: bytes } } });
    if (error !== undefined)
      return send({ case: "file", value: { id, response: { case: "error", value: error }, isMissing } });
    if (done) return send({ case: "file", value: { id, response: { case: "done", value: true } } });
    const value = (entries ?? []).map(({ mtimeMs, ...entry }) => ({
      ...{ path: entry.path, type: entry.type, mode: entry.mode, mtimeMs: BigInt(mtimeMs) },
      size: entry.type === "file" ? BigInt(entry.size) : 0n,
    }));
    return send({ case: "file", value: { id, response: { case: "entries", value: { entries: value } } } });
  });
  let goodbye: Goodbye | undefined;
  let isWelcome = false;
  let failure: unknown;
  const handle = async (frame: PlatformFrame["frame"] | undefined): Promise<void> => {
    if (frame === undefined) socket.close(1002, "a frame cannot be read");
    else if (frame.case === "welcome") {
      if (isWelcome) return;
      options.welcome(frame.value);
      isWelcome = true;
      calls.attach(link).catch(() => {});
    } else if (frame.case === "goodbye") goodbye = frame.value;
    else if (isWelcome) await serveFrame(frame, calls, files);
  };

  const { promise: closed, resolve: close } = withResolvers();
  let heardMs = performance.now();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  socket.on("message", (data, isBinary) => {
    heardMs = performance.now();
    if (++waiting === maxWaitingFrames) socket.pause();
    const frame = isBinary && Buffer.isBuffer(data) ? decodeFrame(data) : undefined;
    last = last
      .then(() => handle(frame))
      .catch((error: unknown) => {
        failure ??= error;
        socket.terminate();
      })
      .finally(() => {
        if (waiting-- === maxWaitingFrames) socket.resume();
        // Frames that waited are a sign of life, too.
        heardMs = performance.now();
      });
  });
  socket.once("close", close);
  if (socket.readyState === socket.CLOSED) close();
  let pings = 0n;
  const ping = setInterval(() => {
    if (performance.now() - heardMs > timing.silentMs) socket.terminate();
    else send({ case: "ping", value: { id: ++pings } }).catch(() => {});
  }, timing.pingMs);
  const leave = () => {
    socket.close(1000);
    setTimeout(() => socket.terminate(), closeWaitMs).unref();
  };
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    await send(hello).catch(() => {});
    await closed;
    await last;
    if (failure !== undefined) throw failure;
    return goodbye;
  } finally {
    clearInterval(ping);
    signal.removeEventListener("abort", leave);
    calls.detach(link);
    files.close();
    socket.terminate();
  }
}

async function serveFrame(frame: PlatformFrame["frame"], calls: Calls, files: FileRequests): Promise<void> {
  switch (frame.case) {
    case "call": {
      const { key, name, argsJson, epoch, agentName } = frame.value;
      if (key !== undefined) await calls.receive({ id: idOf(key), name, args: argsJson, epoch, agentName });
      return;
    }
    case "abort":
      if (frame.value.key !== undefined) await calls.abort(idOf(frame.value.key));
      return;
    case "ack":
      if (frame.value.key !== undefined) calls.acknowledge(idOf(frame.value.key));
      return;
    case "file": {
      const { id, agentId, epoch, action } = frame.value;
      const refusal = calls.refusalOf(agentId, epoch);
      if (refusal !== undefined) await files.refuse(id, refusal);
      else if (action.case !== undefined) await files[action.case](id, action.value);
      return;
    }
    case "content":
      await files.content(frame.value.id, frame.value.bytes, frame.value.isLast);
      return;
    default:
  }
}

function idOf({ agentId, callId }: { agentId: string; callId: string }) {
  return { agentId, callId };
}

/** Node 20 has no `Promise.withResolvers`. */
function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
