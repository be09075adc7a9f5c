import { IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { claimTick, GrowingBuffer, inFreeTick, isTickSpent } from "@muster/large-data";
import { FairQueue } from "@muster/service";

/** Requests of one connection that are in progress at the same time. */
const maxInProgress = 8;

/** Parsed without a break: a hundred of the shortest requests, or some hundred chunks of a body. */
const sliceBytes = 4 * 1024;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Bounds what one connection costs at once. Node would parse everything that it has read, and begin all requests in it, without
 * a break: thousands, if a client sends them one behind the other. Here the rest waits for the requests before it, and for a tick
 * that has time; client addresses take turns. Requests must be of the class `RequestMessage`.
 */
export function spreadRequests(server: Server): void {
  const [handle] = server.listeners("request");
  if (handle === undefined) throw new Error("The server handles no requests");
  server.removeAllListeners("request");
  const ticks = new TickQueue();
  const connections = new WeakMap<Socket, Connection>();
  server.on("connection", (socket: Socket) => {
    connections.set(socket, new Connection(socket, ticks, (...exchange) => handle.apply(server, exchange)));
  });
  server.on("request", (request, response) => connections.get(request.socket)?.receive(request, response));
}

class Connection {
  readonly #socket: Socket;
  readonly #ticks: TickQueue;
  readonly #handle: Handler;
  /** Node's own listener, which parses. */
  readonly #parse: (data: Buffer) => void;
  readonly #parseEnd: () => void;
  /** Read and not parsed yet. Nothing more is read then. */
  #unparsed: Buffer | undefined;
  /** Whether something was unparsed at the last check. */
  #isHolding = false;
  /** The client has closed its sending side. */
  #hasEnded = false;
  /** Whose body may be arriving. */
  #latest: RequestMessage | undefined;
  readonly #waiting: Array<[IncomingMessage, ServerResponse]> = [];
  #inProgress = 0;
  /** How much of the work below waits for a tick that has time for it. */
  #queued = 0;

  constructor(socket: Socket, ticks: TickQueue, handle: Handler) {
    this.#socket = socket;
    this.#ticks = ticks;
    this.#handle = handle;
    const [parse] = socket.listeners("data");
    const parseEnd = socket.listeners("end").at(-1);
    if (parse === undefined || parseEnd === undefined) throw new Error("The connection is not read");
    this.#parse = (data) => parse.call(socket, data);
    this.#parseEnd = () => parseEnd.call(socket);
    socket.removeAllListeners("data");
    socket.off("end", parseEnd as () => void);
    socket.on("data", this.#read);
    socket.on("end", this.#readEnd);
    // The reader of a body knows nothing of the bytes that wait here.
    socket.on("resume", this.#advance);
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    if (request instanceof RequestMessage) this.#latest = request;
    if (this.#inProgress < maxInProgress) this.#begin(request, response);
    else this.#waiting.push([request, response]);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#inProgress += 1;
    response.once("close", this.#end);
    this.#handle(request, response);
  }

  readonly #end = (): void => {
    this.#inProgress -= 1;
    if (this.#waiting.length > 0) this.#inFreeTick(this.#beginNext);
  };

  readonly #beginNext = (): void => {
    const [request, response] = this.#waiting.shift() ?? [];
    if (request !== undefined && response !== undefined) this.#begin(request, response);
  };

  readonly #read = (data: Buffer): void => {
    this.#unparsed = this.#unparsed === undefined ? data : Buffer.concat([this.#unparsed, data]);
    this.#advance();
  };

  readonly #readEnd = (): void => {
    this.#hasEnded = true;
    if (this.#unparsed === undefined) this.#parseEnd();
  };

  readonly #advance = (): void => {
    while (this.#mayParse) this.#inFreeTick(this.#parseSlice);
    const isHolding = this.#unparsed !== undefined;
    if (isHolding) this.#socket.pause();
    else if (this.#isHolding) this.#release();
    this.#isHolding = isHolding;
  };

  /** Everything that was read has been parsed. A full body's reader resumes the connection by itself. */
  #release(): void {
    if (this.#hasEnded) this.#parseEnd();
    else if (!this.#latest?.isFull) this.#socket.resume();
  }

  /** Node sets `_paused` while responses wait to be sent; its parser accepts nothing then. */
  get #mayParse(): boolean {
    if (this.#unparsed === undefined || this.#queued > 0 || this.#waiting.length > 0) return false;
    return !this.#latest?.isFull && Reflect.get(this.#socket, "_paused") !== true;
  }

  readonly #parseSlice = (): void => {
    const data = this.#unparsed;
    if (data === undefined || !this.#mayParse) return;
    this.#unparsed = data.length > sliceBytes ? data.subarray(sliceBytes) : undefined;
    this.#parse(data.length > sliceBytes ? data.subarray(0, sliceBytes) : data);
    if (Reflect.get(this.#socket, "parser") === null) this.#leave();
  };

  /** The connection has another protocol now, or has ended. */
  #leave(): void {
    this.#socket.off("data", this.#read).off("end", this.#readEnd).off("resume", this.#advance);
    if (this.#unparsed !== undefined && !this.#socket.destroyed) this.#socket.unshift(this.#unparsed);
    this.#unparsed = undefined;
  }

  #inFreeTick(work: () => void): void {
    this.#queued += 1;
    let isLoop = work === this.#parseSlice;
    void this.#ticks.run(this.#socket.remoteAddress ?? "", "", () => {
      this.#queued -= 1;
      if (this.#socket.destroyed) return;
      work();
      if (!isLoop) this.#advance();
    });
    isLoop = false;
  }
}

/**
 * A request whose body may arrive in chunks of a single byte. Node would keep an object for each chunk until it is
 * read, and pass each on; here what has arrived since the last read is one piece.
 */
export class RequestMessage extends IncomingMessage {
  readonly #unread = new GrowingBuffer();
  #isWanted = false;
  #isScheduled = false;

  /** Called by Node's parser. False if it is full. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#pass();
      return super.push(null);
    }
    this.#unread.add(chunk);
    this.#schedule();
    return !this.isFull;
  }

  /** Nothing more of the body should be parsed until its reader asks for it, which resumes the connection. */
  get isFull(): boolean {
    if (this.#isWanted || this.complete) return false;
    return this.readableLength + this.#unread.length >= this.readableHighWaterMark;
  }

  /** The stream wants a piece. */
  override _read(size: number): void {
    this.#isWanted = true;
    this.#pass();
    super._read(size);
  }

  /** Once everything that was read from the connection at once has been parsed. */
  #schedule(): void {
    if (!this.#isWanted || this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      if (this.#isWanted && !this.destroyed) this.#pass();
    });
  }

  #pass(): void {
    if (this.#unread.length === 0) return;
    this.#isWanted = false;
    super.push(this.#unread.take());
  }
}

/**
 * Spreads short pieces of work for clients over the ticks of the main loop, by the time that they take. Owners whose work
 * waits take turns, and so do their members.
 */
export class TickQueue {
  readonly #queue = new FairQueue({ running: 1 });

  /**
   * The result of the work: at once if this tick has time for it and for the caller's next step, and nothing else
   * waits.
   */
  run<T>(owner: string, member: string, work: () => T): T | Promise<T> {
    if (this.#queue.running > 0 || !claimTick()) {
      return this.#queue.run(owner, async () => await unlessSpent(await freeTick(work)), { member });
    }
    return unlessSpent(work());
  }
}

function unlessSpent<T>(result: T): T | Promise<T> {
  return isTickSpent() ? freeTick(() => result) : result;
}

function freeTick<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    inFreeTick(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}
