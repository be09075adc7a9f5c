import { setTimeout } from "node:timers/promises";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type Call,
  type CallKey,
  ComputerFrameSchema,
  type Goodbye,
  type Outcome,
  type PlatformFrame,
  PlatformFrameSchema,
} from "@muster/proto/computer-frames";
import type { MachineKey } from "../../src/machines/machine-document.ts";
import type { Machines } from "../../src/machines/machines.ts";

export type Sent = NonNullable<MessageInitShape<typeof ComputerFrameSchema>["frame"]>;

/** How a command ends. Never: it runs until it is aborted, or its process dies. */
export type Script = (call: Call, output: (text: string) => void) => Promise<Outcome["outcome"]>;

/** The disk of a computer. It survives its process. */
export interface Disk {
  epoch: bigint;
  /** The newest epoch of each agent's runs. */
  agentEpochs: Map<string, bigint>;
  journal: Map<string, Outcome["outcome"] | "begun">;
  unacknowledged: Set<string>;
  /** How often each call had its effect. */
  effects: Map<string, number>;
  files: Map<string, Uint8Array>;
}

export const newDisk = (): Disk => ({
  epoch: 0n,
  agentEpochs: new Map(),
  journal: new Map(),
  unacknowledged: new Set(),
  effects: new Map(),
  files: new Map(),
});

export const echoTool = { name: "shell__run_command", description: "Runs.", inputSchemaJson: "{}" };

/** The other end of the frames, as a model of the real runtime: one process of a computer. */
export class ScriptedComputer {
  readonly disk: Disk;
  readonly goodbyes: Goodbye[] = [];
  /** Called for each frame in either direction: true ends the connection before it arrives. */
  onFrame: () => boolean = () => false;
  hello: object = {};
  isDead = false;
  ignoresAborts = false;
  readonly #script: Script;
  readonly #active = new Set<string>();
  #send: ((frame: Sent) => void) | undefined;

  constructor(script: Script, disk = newDisk()) {
    this.#script = script;
    this.disk = disk;
    for (const [id, known] of disk.journal)
      if (known === "begun") this.#store(id, { case: "unknown", value: true });
  }

  /** Serves one connection. Resolves when it has ended. */
  async connect(
    machines: Pick<Machines, "connect">,
    identity: MachineKey,
    ending = new AbortController(),
  ): Promise<void> {
    const frames: Uint8Array[] = [];
    let changed = Promise.withResolvers<void>();
    const send = (frame: Sent): void => {
      if (this.isDead || ending.signal.aborted) return;
      if (this.onFrame()) {
        ending.abort();
        return;
      }
      frames.push(toBinary(ComputerFrameSchema, create(ComputerFrameSchema, { frame })));
      changed.resolve();
      changed = Promise.withResolvers();
    };
    ending.signal.addEventListener("abort", () => changed.resolve());
    const outgoing = (async function* () {
      while (!ending.signal.aborted) {
        const frame = frames.shift();
        if (frame !== undefined) yield frame;
        else await changed.promise;
      }
    })();
    const value = { protocolVersion: 1, runtimeVersion: "1.2.3", os: "linux", tools: [echoTool] };
    send({ case: "hello", value: { ...value, epoch: this.disk.epoch, ...this.hello } });
    for await (const bytes of machines.connect(outgoing, identity, ending.signal)) {
      if (this.isDead || ending.signal.aborted || this.onFrame()) break;
      this.#receive(fromBinary(PlatformFrameSchema, bytes).frame, send);
    }
    if (this.#send === send) this.#send = undefined;
    ending.abort();
  }

  /** For frames that no real computer sends. */
  send(frame: Sent): void {
    this.#send?.(frame);
  }

  #receive(frame: PlatformFrame["frame"], send: (frame: Sent) => void): void {
    if (frame.case === "welcome") {
      this.disk.epoch = frame.value.epoch;
      this.#send = send;
      for (const id of this.disk.unacknowledged) this.#tell(id);
    } else if (frame.case === "call") this.#call(frame.value);
    else if (frame.case === "ack") this.disk.unacknowledged.delete(idOf(frame.value.key));
    else if (frame.case === "goodbye") this.goodbyes.push(frame.value);
    else if (frame.case === "abort") {
      if (this.ignoresAborts) return;
      const id = idOf(frame.value.key);
      if (this.#active.delete(id)) this.#store(id, { case: "aborted", value: true });
      if (!this.disk.journal.has(id)) this.#outcome(id, { case: "aborted", value: true });
      else this.#tell(id);
    } else if (frame.case === "file") {
      const { id, action } = frame.value;
      if (action.case === "read") {
        const bytes = this.disk.files.get(action.value);
        const error = { case: "error", value: `${action.value} does not exist.` } as const;
        if (bytes === undefined) send({ case: "file", value: { id, response: error, isMissing: true } });
        else send({ case: "file", value: { id, response: { case: "bytes", value: bytes } } });
        send({ case: "file", value: { id, response: { case: "done", value: true } } });
      } else if (action.case === "write") {
        this.disk.files.set(action.value, new Uint8Array(0));
        this.#writing.set(id, action.value);
      } else send({ case: "file", value: { id, response: { case: "done", value: true } } });
    } else if (frame.case === "content") {
      const path = this.#writing.get(frame.value.id) ?? "";
      const before = this.disk.files.get(path) ?? new Uint8Array(0);
      this.disk.files.set(path, Buffer.concat([before, frame.value.bytes]));
      if (frame.value.isLast)
        send({ case: "file", value: { id: frame.value.id, response: { case: "done", value: true } } });
    }
  }

  readonly #writing = new Map<bigint, string>();

  #call(call: Call): void {
    const id = idOf(call.key);
    const agentId = call.key?.agentId ?? "";
    const newest = this.disk.agentEpochs.get(agentId) ?? 0n;
    if (call.epoch < newest) {
      this.#outcome(id, { case: "staleEpoch", value: newest });
      return;
    }
    this.disk.agentEpochs.set(agentId, call.epoch);
    if (this.disk.journal.has(id)) {
      if (!this.#active.has(id)) this.#tell(id);
      return;
    }
    this.disk.journal.set(id, "begun");
    this.disk.effects.set(id, (this.disk.effects.get(id) ?? 0) + 1);
    this.#active.add(id);
    void this.#run(id, call);
  }

  async #run(id: string, call: Call): Promise<void> {
    const key = call.key;
    const output = (text: string) =>
      this.#send?.({ case: "output", value: { ...(key && { key }), stream: "stdout", text, atMs: 1 } });
    await setTimeout(0);
    const outcome = await this.#script(call, output);
    if (this.isDead || !this.#active.delete(id)) return;
    this.#store(id, outcome);
    this.#tell(id);
  }

  #store(id: string, outcome: Outcome["outcome"]): void {
    this.disk.journal.set(id, outcome);
    this.disk.unacknowledged.add(id);
  }

  #tell(id: string): void {
    const outcome = this.disk.journal.get(id);
    if (outcome !== undefined && outcome !== "begun") this.#outcome(id, outcome);
  }

  #outcome(id: string, outcome: Outcome["outcome"]): void {
    const [agentId = "", callId = ""] = id.split(" ");
    this.#send?.({ case: "outcome", value: { key: { agentId, callId }, outcome } });
  }
}

function idOf(key: CallKey | undefined): string {
  return `${key?.agentId} ${key?.callId}`;
}
