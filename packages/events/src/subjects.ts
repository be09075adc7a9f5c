/** The catalogue of events by subject. Events carry ids, not state; handlers read the store. */
export interface EventMap {
  /** A credential of this key no longer works: drop its cached entries. */
  "auth.key-revoked": { keyId: string; projectId: string };
  /** This ephemeral token no longer works: drop its cached entry. */
  "auth.token-revoked": { tokenId: string; projectId: string };
  /** Tokens of this identity provider are accepted differently, or not at all: drop the cached entries of all. */
  "auth.identity-provider-changed": { providerId: string; projectId: string };
  /** The project's own keys for model providers have changed: drop the cached ones. */
  "auth.provider-keys-changed": { projectId: string };
  /** The project's rules of approval, MCP servers or hosts of HTTP tools have changed: drop the cached ones. */
  "auth.project-changed": { projectId: string };
  /** The data at this address of the API has changed: readers that display it read again. */
  "gateway.changed": { projectId: string; address: string };
  /** The instance running this execution must stop it. `epoch` identifies the revoked lease. */
  "sessions.execution-abort": {
    sessionId: string;
    executionId: string;
    epoch: number;
    reason: "cancelled" | "cleared";
  };
  /** A document of this project has events for webhooks: take them. */
  "sessions.noticed": { projectId: string };
  /** The queue, the pause or the run of this workforce agent has changed: look whether something can begin. */
  "workforce.agent": { projectId: string; agentId: string };
  /** This thread has changed: readers that wait read again, and its driver whether it was cancelled. */
  "workforce.thread": { projectId: string; agentId: string; threadId: string };
  /** Users have decided about all calls that the run of this thread waits for: it continues. */
  "workforce.decided": { projectId: string; agentId: string; threadId: string };
  /** The run of this recording has ended: a recorder can render it. */
  "workforce.recording": { projectId: string; recordingId: string };
  /** Deliveries of this webhook were sent: readers that display them read again. */
  "workforce.webhook": { projectId: string; webhookId: string };
}

export type Subject = keyof EventMap;

// Another version may have published an event: it is parsed, never trusted.
const readers: { [S in Subject]: (fields: Fields) => EventMap[S] } = {
  "auth.key-revoked": (fields) => ({
    keyId: fields.text("keyId"),
    projectId: fields.text("projectId"),
  }),
  "auth.token-revoked": (fields) => ({
    tokenId: fields.text("tokenId"),
    projectId: fields.text("projectId"),
  }),
  "auth.identity-provider-changed": (fields) => ({
    providerId: fields.text("providerId"),
    projectId: fields.text("projectId"),
  }),
  "auth.provider-keys-changed": (fields) => ({ projectId: fields.text("projectId") }),
  "auth.project-changed": (fields) => ({ projectId: fields.text("projectId") }),
  "gateway.changed": (fields) => ({
    projectId: fields.text("projectId"),
    address: fields.text("address"),
  }),
  "sessions.execution-abort": (fields) => ({
    sessionId: fields.text("sessionId"),
    executionId: fields.text("executionId"),
    epoch: fields.integer("epoch"),
    reason: fields.oneOf("reason", ["cancelled", "cleared"]),
  }),
  "sessions.noticed": (fields) => ({ projectId: fields.text("projectId") }),
  "workforce.agent": (fields) => ({
    projectId: fields.text("projectId"),
    agentId: fields.text("agentId"),
  }),
  "workforce.thread": (fields) => ({
    projectId: fields.text("projectId"),
    agentId: fields.text("agentId"),
    threadId: fields.text("threadId"),
  }),
  "workforce.decided": (fields) => ({
    projectId: fields.text("projectId"),
    agentId: fields.text("agentId"),
    threadId: fields.text("threadId"),
  }),
  "workforce.recording": (fields) => ({
    projectId: fields.text("projectId"),
    recordingId: fields.text("recordingId"),
  }),
  "workforce.webhook": (fields) => ({
    projectId: fields.text("projectId"),
    webhookId: fields.text("webhookId"),
  }),
};

/** Narrows untrusted text; an outbox written by a newer version may contain unknown subjects. */
export function isSubject(text: string): text is Subject {
  return Object.hasOwn(readers, text);
}

/** Parses an event from untrusted data; unknown fields are dropped. Throws {@link EventFormatError}. */
export function readEvent<S extends Subject>(subject: S, data: unknown): EventMap[S] {
  return readers[subject](new Fields(subject, data));
}

/** An event does not have the shape of its subject. Delivering it again would not help. */
export class EventFormatError extends Error {
  constructor(subject: string, problem: string) {
    super(`Event ${subject}: ${problem}`);
    this.name = "EventFormatError";
  }
}

class Fields {
  readonly #subject: string;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(subject: string, data: unknown) {
    this.#subject = subject;
    if (typeof data !== "object" || data === null) throw new EventFormatError(subject, "not an object");
    this.#values = new Map(Object.entries(data));
  }

  text(name: string): string {
    const value = this.#values.get(name);
    return typeof value === "string" && value !== "" ? value : this.#refuse(name, "a text");
  }

  integer(name: string): number {
    const value = this.#values.get(name);
    return typeof value === "number" && Number.isSafeInteger(value)
      ? value
      : this.#refuse(name, "an integer");
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[]): T {
    const value = this.#values.get(name);
    return (
      allowed.find((candidate) => candidate === value) ?? this.#refuse(name, `one of ${allowed.join(", ")}`)
    );
  }

  #refuse(name: string, expected: string): never {
    throw new EventFormatError(this.#subject, `${name} is not ${expected}`);
  }
}
