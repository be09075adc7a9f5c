import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type GroupOptions, type ProcessGroup, startGroup } from "../calls/process-group.ts";

/** A server that writes more without a line break is broken. */
const maxMessageBytes = 8 * 1024 * 1024;
/** Requests wait here for a server that does not read. */
const maxWaitingBytes = 8 * 1024 * 1024;
const closeWaitMs = 2_000;

/**
 * MCP over the standard streams of a process group. The SDK's own transport kills only the process that it starts, and most
 * servers are started by another program, such as npx.
 */
export class GroupTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: GroupOptions;
  readonly #onErrorOutput: (text: string) => void;
  #group: ProcessGroup | undefined;

  constructor(options: GroupOptions, onErrorOutput: (text: string) => void) {
    this.#options = { ...options, hasInput: true };
    this.#onErrorOutput = onErrorOutput;
  }

  async start(): Promise<void> {
    const group = await startGroup(this.#options);
    this.#group = group;
    group.stdin?.on("error", () => {});
    group.stderr.setEncoding("utf8").on("data", this.#onErrorOutput);
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    group.stdout.on("data", (chunk: Buffer) => {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        this.#receive(Buffer.concat([...waiting, chunk.subarray(start, end)]).toString());
        waiting = [];
        waitingBytes = 0;
        start = end + 1;
      }
      waiting.push(chunk.subarray(start));
      waitingBytes += chunk.length - start;
      if (waitingBytes > maxMessageBytes) void group.kill();
    });
    const close = () => this.onclose?.();
    group.ended.then(close, close);
    group.begin();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#group ?? {};
    if (!stdin?.writable || stdin.writableLength > maxWaitingBytes)
      throw new Error("the server does not read");
    stdin.write(serializeMessage(message));
  }

  /** Most servers end with their input. */
  async close(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    group.stdin?.end();
    const timer = setTimeout(() => void group.kill(), closeWaitMs);
    await group.ended.catch(() => {});
    clearTimeout(timer);
  }

  #receive(line: string): void {
    if (line.trim() === "") return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // Servers print other lines, too.
      if (error instanceof Error) this.onerror?.(error);
    }
  }
}
