import type { EventEmitter } from "node:events";
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type {
  handleBidiStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
} from "@grpc/grpc-js";
import { CallContext, type CallOrigin, principalHeader, requestIdHeader } from "./call-context.ts";
import { decode, encode } from "./codec.ts";
import { toStatus } from "./grpc-status.ts";
import {
  abortError,
  admit,
  answerFor,
  callStartMs,
  canceledError,
  countCall,
  deadlineError,
  type Handling,
  type MountedMethod,
  methodPath,
} from "./handling.ts";
import { readText, toHeaders, toMetadata } from "./metadata.ts";
import { Requests } from "./requests.ts";
import { type ServerStream, ServerWriter } from "./server-writer.ts";

/** State shared by the calls of one server. */
export interface ServerCalls extends Handling {
  /** The calls whose handlers run. */
  readonly running: Set<CallContext>;
}

type UnaryMethod = Extract<MountedMethod, { kind: "unary" }>;
type StreamMethod = Extract<MountedMethod, { kind: "server_streaming" }>;
type BidiMethod = Extract<MountedMethod, { kind: "bidi_streaming" }>;
type AnyCall = ServerUnaryCall<Buffer, Buffer> | ServerStream;

const origin: CallOrigin = { protocolName: "grpc", baseUrl: "http://grpc" };

/** Serves a unary RPC of grpc-js with a Connect handler. */
export function unaryHandler(calls: ServerCalls, mounted: UnaryMethod): handleUnaryCall<Buffer, Buffer> {
  const path = methodPath(mounted.method);
  return async (call, respond) => {
    const startMs = callStartMs(calls);
    const context = openCall(calls, call, mounted, path, (error) => respond(toStatus(error)));
    let error: ConnectError | undefined;
    try {
      enter(calls, context, call.metadata);
      const request = decode(mounted.method.input, call.request, Code.InvalidArgument);
      const response = await mounted.impl(request, context);
      const bytes = encode(mounted.method.output, response, "response");
      if (!context.isRunning) return;
      sendHeader(call, context);
      respond(null, bytes, trailerOf(context));
    } catch (thrown) {
      error = answerFor(calls, context, thrown);
      if (context.isRunning) respond(toStatus(error));
    } finally {
      countCall(calls, context, startMs, error);
      closeCall(calls, context);
    }
  };
}

/** Serves a server-streaming RPC of grpc-js with a Connect handler. */
export function streamHandler(
  calls: ServerCalls,
  mounted: StreamMethod,
): handleServerStreamingCall<Buffer, Buffer> {
  return serveStream(calls, mounted, (call: ServerWritableStream<Buffer, Buffer>, context) =>
    mounted.impl(decode(mounted.method.input, call.request, Code.InvalidArgument), context),
  );
}

/**
 * Serves a bidirectional RPC of grpc-js with a Connect handler. A request is read from the connection when the handler asks
 * for it.
 */
export function bidiHandler(
  calls: ServerCalls,
  mounted: BidiMethod,
): handleBidiStreamingCall<Buffer, Buffer> {
  return serveStream(calls, mounted, (call: ServerDuplexStream<Buffer, Buffer>, context) =>
    mounted.impl(
      new Requests(requestsIn(call), context, (bytes) =>
        decode(mounted.method.input, bytes, Code.InvalidArgument),
      ),
      context,
    ),
  );
}

async function* requestsIn(call: ServerDuplexStream<Buffer, Buffer>): AsyncGenerator<Buffer, undefined> {
  // Node would read 16 messages ahead, of any size. The setting is public only where a stream is created.
  Reflect.set(Reflect.get(call, "_readableState"), "highWaterMark", 0);
  let wake = () => {};
  for (const event of ["readable", "end", "close"]) call.on(event, () => wake());
  while (!call.readableEnded && !call.destroyed) {
    const bytes: Buffer | null = call.read();
    if (bytes !== null) yield bytes;
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return undefined;
}

/** The handler's stream is pulled only as fast as the client reads messages from the connection. */
function serveStream<Call extends ServerStream>(
  calls: ServerCalls,
  mounted: StreamMethod | BidiMethod,
  begin: (call: Call, context: CallContext) => AsyncIterable<MessageInitShape<DescMessage>>,
): (call: Call) => Promise<void> {
  const path = methodPath(mounted.method);
  return async (call) => {
    const startMs = callStartMs(calls);
    const context = openCall(calls, call, mounted, path, (error) => fail(call, error));
    let error: ConnectError | undefined;
    const writer = new ServerWriter(call);
    try {
      enter(calls, context, call.metadata);
      let isFirst = true;
      for await (const message of begin(call, context)) {
        const bytes = encode(mounted.method.output, message, "response");
        // Leaving the loop runs the handler's `finally`.
        if (!context.isRunning) break;
        if (isFirst) sendHeader(call, context);
        isFirst = false;
        const writable = writer.write(bytes);
        if (writable === undefined) continue;
        await writable;
        if (!context.isRunning) break;
      }
      if (!context.isRunning) return;
      if (isFirst) sendHeader(call, context);
      call.end(trailerOf(context));
    } catch (thrown) {
      error = answerFor(calls, context, thrown);
      if (context.isRunning) fail(call, error);
    } finally {
      countCall(calls, context, startMs, error);
      closeCall(calls, context);
    }
  };
}

/** `refuse` sends the status when the call is aborted, so that a handler that ignores its signal delays no caller. */
function openCall(
  calls: ServerCalls,
  call: AnyCall,
  mounted: MountedMethod,
  path: string,
  refuse: (error: ConnectError) => void,
): CallContext {
  const deadlineMs = Number(call.getDeadline());
  const context = new CallContext(origin, {
    method: mounted.method,
    path,
    deadlineMs,
    header: () => toHeaders(call.metadata),
  });
  context.onAbort((reason) => {
    if (!call.cancelled) refuse(abortError(reason));
  });
  // grpc-js itself reports an expired deadline; it emits this event for deadlines, cancellations and ended calls alike.
  const onCancelled = () => {
    if (context.isRunning) context.abort(isPast(deadlineMs) ? deadlineError() : canceledError());
  };
  const events: EventEmitter = call;
  events.once("cancelled", onCancelled);
  // A call can end before its handler begins. Its event has passed, and the handler would wait for its reader
  // indefinitely.
  if (call.cancelled || isCancelled(call)) onCancelled();
  calls.running.add(context);
  return context;
}

/**
 * grpc-js makes the stream of a call when the request has arrived whole. A call that is cancelled during the last step has no
 * stream to mark: only the connection's side knows, and nothing that is written is ever acknowledged.
 */
function isCancelled(call: AnyCall): boolean {
  const connectionSide: unknown = Reflect.get(call, "call");
  return Object(connectionSide).cancelled === true;
}

function enter(calls: ServerCalls, context: CallContext, metadata: Metadata): void {
  admit(calls, context, readText(metadata, principalHeader), readText(metadata, requestIdHeader));
}

function closeCall(calls: ServerCalls, context: CallContext): void {
  calls.running.delete(context);
  context.end();
}

/** Timers may fire slightly before the clock reaches the deadline. */
function isPast(deadlineMs: number): boolean {
  return Date.now() >= deadlineMs - 5;
}

function sendHeader(call: AnyCall, context: CallContext): void {
  const header = context.usedResponseHeader;
  if (header !== undefined) call.sendMetadata(toMetadata(header));
}

function trailerOf(context: CallContext): Metadata | undefined {
  const trailer = context.usedResponseTrailer;
  return trailer === undefined ? undefined : toMetadata(trailer);
}

/** grpc-js ends the stream with the status in the error, after everything written before. */
function fail(call: ServerStream, error: ConnectError): void {
  call.emit("error", toStatus(error));
}
