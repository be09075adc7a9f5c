import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { FetchProblem } from "@muster/guarded-fetch";
import type { Exchange } from "./exchange.ts";

const maxSending = 8;

type SdkTransport = Transport & { terminateSession(): Promise<void> };

/**
 * The SDK's transport, which closes when the response to a request has ended without an answer to it. By itself, the SDK would wait
 * until its time limit.
 */
export class AnsweredTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly hasPerRequestStream = true;
  readonly #inner: SdkTransport;
  readonly #exchange: Exchange;
  readonly #unanswered = new Set<RequestId>();
  readonly #sending = new Set<Promise<void>>();

  constructor(inner: SdkTransport, exchange: Exchange) {
    this.#inner = inner;
    this.#exchange = exchange;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message: JSONRPCMessage) => {
      if (isJSONRPCResponse(message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.#exchange.shelf.takeFrom(message);
      this.onmessage?.(message);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    // A server of the old era can ask as well, and then not receive the replies.
    if (this.#sending.size >= maxSending) throw new Error("The server does not receive");
    const sending = this.#send(message, options);
    this.#sending.add(sending);
    try {
      await sending;
    } finally {
      this.#sending.delete(sending);
    }
  }

  async #send(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (!isJSONRPCRequest(message)) return this.#inner.send(message, options);
    this.#exchange.isCalling = message.method === "tools/call";
    this.#unanswered.add(message.id);
    const closeIfUnanswered = () => {
      if (!this.#unanswered.has(message.id)) return;
      this.#exchange.problem ??= new FetchProblem(
        "bad-response",
        "The server ended its response without an answer.",
      );
      void this.close();
    };
    await this.#inner.send(message, { ...options, onRequestStreamEnd: closeIfUnanswered });
    if (!this.#exchange.isStreaming) closeIfUnanswered();
  }

  /** After what is being sent, such as a cancellation: ends the session and all streams. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#sending);
    // The exchange has its outcome; a session that cannot be ended expires on its server.
    await this.#inner.terminateSession().catch(() => {});
    await this.close();
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
