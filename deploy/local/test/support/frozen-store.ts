import { parentPort } from "node:worker_threads";

// The embedded store's thread on a machine on which it gets no processor time for three seconds, once it listens.
const port = parentPort;
if (port === null) throw new Error("frozen-store.ts runs as a worker thread");
const post = port.postMessage.bind(port);
port.postMessage = (message: { kind: string }) => {
  post(message);
  if (message.kind === "listening") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
};
await import(new URL("../../../../packages/embedded-store/src/store-thread.ts", import.meta.url).href);
