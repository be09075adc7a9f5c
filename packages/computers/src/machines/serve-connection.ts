import { keepRenewing } from "@muster/service/claim";
import type { MachineContext } from "./context.ts";
import { FileTransfers } from "./file-transfers.ts";
import { decodeFrame, encodeFrame, FrameProblem, type FromComputer, goodbyeFrame } from "./frames.ts";
import type { Machine, MachineConnection } from "./machine.ts";
import type { MachineDocument } from "./machine-document.ts";
import { Outgoing } from "./outgoing.ts";
import { type ReadHello, readHello } from "./read-hello.ts";

/**
 * The platform's end of a connection: the frames for the computer, until the connection ends. Newer ones take the computer from
 * older ones, here and on other processes.
 */
export async function* serveConnection(
  context: MachineContext,
  machine: Machine,
  frames: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { nowMs, timings } = context;
  const outgoing = new Outgoing();
  const cut = () => outgoing.end();
  const incoming = frames[Symbol.asyncIterator]();
  let heardMs = nowMs();
  const next = async (): Promise<FromComputer | undefined> => {
    const { done, value } = await incoming.next();
    heardMs = nowMs();
    return done ? undefined : decodeFrame(value);
  };
  const silence = setInterval(() => {
    const maxMs = machine.connection?.outgoing === outgoing ? timings.silentMs : timings.helloMs;
    if (nowMs() - heardMs > maxMs) cut();
  }, timings.helloMs / 10);
  signal.addEventListener("abort", cut, { once: true });
  if (signal.aborted) cut();
  const received = receive(context, machine, { next, outgoing });
  context.serving.add(received);
  void received.then(() => context.serving.delete(received));
  try {
    yield* outgoing;
    await received;
  } finally {
    cut();
    clearInterval(silence);
    signal.removeEventListener("abort", cut);
    // It waits for the frame that is being read, so nothing waits for it.
    incoming.return?.().catch(() => undefined);
  }
}

interface Link {
  /** Undefined: the computer has ended the connection. */
  next: () => Promise<FromComputer | undefined>;
  outgoing: Outgoing;
}

async function receive(context: MachineContext, machine: Machine, { next, outgoing }: Link): Promise<void> {
  try {
    const first = await Promise.race([next(), outgoing.ended]);
    if (first === undefined || outgoing.isEnded) return;
    const epochBefore = first.case === "hello" ? first.value.epoch : 0n;
    const hello = readHello(first);
    const connected = await takeMachine(context, machine, hello);
    if (connected === null) {
      const exists = (await context.store.find(machine.key)) !== null;
      // The computer has given up a connection that is late, and reads nothing on it.
      return outgoing.end(exists ? undefined : goodbyeFrame("refused"));
    }
    const { epoch } = connected;
    // Before anything is sent on it: any process that continues a run later has to know.
    if (epochBefore < epoch - 1 && (await context.store.noteForgotten(machine.key, epoch)))
      connected.forgotAt = epoch;
    await serve(context, machine, connectionOf(hello, connected, epochBefore, outgoing), connected, next);
  } catch (error) {
    if (error instanceof FrameProblem) outgoing.end(protocolGoodbye(error));
    else if (!outgoing.isEnded)
      context.log.warn({ err: error, ...machine.key }, "a computer's connection broke");
  } finally {
    outgoing.end();
  }
}

function takeMachine(
  { store, instance, timings, clock }: MachineContext,
  { key }: Machine,
  hello: ReadHello,
): Promise<MachineDocument | null> {
  const nowMs = clock.now();
  const lease = { holder: instance, until: new Date(nowMs + timings.leaseMs) };
  return store.connect(key, lease, hello, new Date(nowMs));
}

function connectionOf(
  { report, tools }: ReadHello,
  { epoch, forgotAt = 0, abandoned = [] }: MachineDocument,
  epochBefore: bigint,
  outgoing: Outgoing,
): MachineConnection {
  const files = new FileTransfers(outgoing);
  return { epoch, epochBefore, forgotAt, abandoned, report, tools, outgoing, files };
}

async function serve(
  context: MachineContext,
  machine: Machine,
  connection: MachineConnection,
  { name, _id: computerId }: MachineDocument,
  next: Link["next"],
): Promise<void> {
  const { store, timings, clock, log, onConnected } = context;
  const { epoch, outgoing } = connection;
  const until = () => new Date(clock.now() + timings.leaseMs);
  const renew = async () => {
    try {
      if (await store.renew(machine.key, epoch, until(), new Date(clock.now()))) return;
      const exists = (await store.find(machine.key)) !== null;
      machine.detach(connection, goodbyeFrame(exists ? "superseded" : "refused"));
    } catch (error) {
      log.warn({ err: error, ...machine.key }, "the lease of a computer could not be renewed");
    }
  };
  const read = async () => {
    for (let frame = await next(); frame !== undefined && !outgoing.isEnded; frame = await next())
      handle(machine, connection, frame);
  };
  const stopRenewing = keepRenewing(timings.renewEveryMs, renew);
  try {
    const welcome = { epoch: BigInt(epoch), computerId, computerName: name };
    outgoing.send(encodeFrame({ case: "welcome", value: welcome }));
    machine.attach(connection);
    if (machine.connection === connection) onConnected(machine.key);
    await Promise.race([read(), outgoing.ended]);
  } catch (error) {
    if (error instanceof FrameProblem) machine.detach(connection, protocolGoodbye(error));
    throw error;
  } finally {
    stopRenewing();
    machine.detach(connection);
    const wait = machine.isClosed ? undefined : until();
    await store.disconnect(machine.key, epoch, new Date(clock.now()), wait).catch((error: unknown) => {
      log.warn({ err: error, ...machine.key }, "the end of a connection could not be stored");
    });
  }
}

function handle(machine: Machine, { outgoing, files }: MachineConnection, frame: FromComputer): void {
  switch (frame.case) {
    case "hello":
      throw new FrameProblem("A hello is only the first frame of a connection.");
    case "ping":
      outgoing.send(encodeFrame({ case: "pong", value: { id: frame.value.id } }));
      break;
    case "output":
      machine.output(frame.value);
      break;
    case "outcome":
      machine.outcome(frame.value);
      break;
    case "file":
      files.receive(frame.value);
      break;
    case undefined:
  }
}

function protocolGoodbye({ message }: FrameProblem): Uint8Array {
  return encodeFrame({ case: "goodbye", value: { code: "protocol", message } });
}
