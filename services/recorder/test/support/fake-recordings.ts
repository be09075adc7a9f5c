import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type FinishRecordingRequest,
  RecordedRunSchema,
  RecordingsService,
  type TimelineEvent,
} from "@muster/proto/recordings";
import {
  callerOf,
  createInProcessTransport,
  createPrincipalVerifier,
  isPlatform,
  mountPartial,
  Reason,
  rpcError,
  type Transport,
} from "@muster/rpc";
import { type Clock, type Secret, silentLogger } from "@muster/service";

interface FakeRecording {
  id: string;
  projectId: string;
  task: string;
  /** The end of the run. */
  endedAtMs: number;
  status: "processing" | "ready" | "failed" | "deleted";
  epoch: number;
  attempts: number;
  leaseUntilMs: number;
  /** Who claimed it, in order. */
  recorders: string[];
  /** The outcomes that recorders reported at the end of attempts, in order. */
  outcomes: Array<FinishRecordingRequest["outcome"]>;
}

type Rpc = "claim" | "renew" | "read" | "finish" | "get";

/** The part of the workforce service that recorders call, with its rules, over the real RPC layer. */
export class FakeRecordings {
  readonly all = new Map<string, FakeRecording>();
  readonly calls: Rpc[] = [];
  /** RPCs that fail because the service is away. */
  readonly down = new Set<Rpc>();
  /** The disk of the store is full. */
  isStoreFull = false;
  /** Called at the end of each RPC, before its response. */
  after: ((rpc: Rpc) => Promise<void> | void) | undefined;
  readonly transport: Transport;
  /** The lease that recorders are told. */
  leaseMs = 60_000;
  /** How long a lease really lasts. Default: as told. */
  heldMs: number | undefined;
  timeline: Iterable<Pick<TimelineEvent, "type" | "json"> & { atMs: bigint }> = [
    { atMs: 0n, type: "thread-status", json: '{"status":"running"}' },
    { atMs: 1_500n, type: "text-delta", json: '{"delta":"Hi\\n"}' },
  ];
  readonly #clock: Clock;

  constructor(principalSecrets: readonly Secret[], clock: Clock) {
    this.#clock = clock;
    const mounted = mountPartial(RecordingsService, {
      claimRecording: (request, call) => this.#serve("claim", callerOf(call), () => this.#claim(request)),
      renewRecording: (request, call) =>
        this.#serve("renew", callerOf(call), () => {
          this.#owned(request).leaseUntilMs = this.#clock.now() + (this.heldMs ?? this.leaseMs);
          return {};
        }),
      readTimeline: (request, call) => this.#read(request, callerOf(call)),
      finishRecording: (request, call) => this.#serve("finish", callerOf(call), () => this.#finish(request)),
      getRecording: ({ recordingId }, call) =>
        this.#serve("get", callerOf(call), () => {
          const found = this.all.get(recordingId);
          if (found === undefined) throw rpcError(Reason.NOT_FOUND, "No such recording.");
          const { id, projectId, status, epoch } = found;
          return { id, projectId, status, epoch: status === "ready" ? epoch : 0 };
        }),
    });
    const verifier = createPrincipalVerifier(principalSecrets, clock);
    this.transport = createInProcessTransport([mounted], { verifier, log: silentLogger });
  }

  add(id: string, task = "Look"): FakeRecording {
    const recording: FakeRecording = {
      ...{ id, projectId: "default", task, endedAtMs: this.#clock.now() },
      ...{ status: "processing", epoch: 0, attempts: 0, leaseUntilMs: 0 },
      ...{ recorders: [], outcomes: [] },
    };
    this.all.set(id, recording);
    return recording;
  }

  async #serve<T>(rpc: Rpc, caller: Parameters<typeof isPlatform>[0], act: () => T): Promise<T> {
    this.calls.push(rpc);
    if (!isPlatform(caller)) throw rpcError(Reason.FORBIDDEN, "Only for the platform.");
    if (this.down.has(rpc)) throw rpcError(Reason.UNAVAILABLE, "The service is away.");
    if (this.isStoreFull && rpc !== "read") throw rpcError(Reason.STORAGE_FULL, "The disk is full.");
    const response = act();
    await this.after?.(rpc);
    return response;
  }

  #claim({ recorder, recordingId }: { recorder: string; recordingId: string }) {
    const nowMs = this.#clock.now();
    const waiting = [...this.all.values()].filter(
      ({ id, status, leaseUntilMs }) =>
        status === "processing" && leaseUntilMs <= nowMs && (recordingId === "" || recordingId === id),
    );
    const [found] = waiting;
    if (found === undefined) return {};
    found.epoch += 1;
    found.attempts += 1;
    found.leaseUntilMs = nowMs + (this.heldMs ?? this.leaseMs);
    found.recorders.push(recorder);
    const { id, projectId, epoch, attempts, task, endedAtMs } = found;
    const run = create(RecordedRunSchema, {
      ...{ agentName: "Lou", task, status: "completed" },
      ...{ startedAt: timestampFromMs(1_000), endedAt: timestampFromMs(endedAtMs) },
    });
    return { recording: { id, projectId, epoch, attempt: attempts, leaseMs: this.leaseMs, run } };
  }

  #owned({ recordingId, epoch }: { recordingId: string; epoch: number }): FakeRecording {
    const found = this.all.get(recordingId);
    if (found?.status !== "processing" || found.epoch !== epoch)
      throw rpcError(Reason.AGENT_ARCHIVED, "Another recorder has it.");
    return found;
  }

  async *#read(request: { recordingId: string; epoch: number }, caller: Parameters<typeof isPlatform>[0]) {
    await this.#serve("read", caller, () => this.#owned(request));
    for (const event of this.timeline) yield { events: [event] };
  }

  #finish({ outcome, ...request }: FinishRecordingRequest) {
    const repeated = this.all.get(request.recordingId);
    if (repeated?.status === "ready" && repeated.epoch === request.epoch && outcome.case === "video")
      return {};
    if (repeated !== undefined && repeated.epoch > request.epoch && outcome.case === "released") {
      repeated.attempts -= 1;
      return {};
    }
    const found = this.#owned(request);
    found.outcomes.push(outcome);
    found.leaseUntilMs = 0;
    if (outcome.case === "video") found.status = "ready";
    if (outcome.case === "released" || outcome.case === "diskFull") found.attempts -= 1;
    if (outcome.case === "error" && found.attempts >= 5) found.status = "failed";
    return {};
  }
}
