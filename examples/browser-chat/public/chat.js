// Talks to Muster with nothing but a token for one session.

/** The token is replaced when a fifth of its life is left. */
const renewAt = 0.8;
const maxRetries = 20;

/** A refusal of the server, as a sentence for the reader. */
export class Refusal extends Error {}

export class Chat {
  #access;
  #timer;
  #tools;

  /** `tools`: functions that the page executes for the agent, by name. */
  constructor(tools) {
    this.#tools = tools;
  }

  /** Gets a token from the page's own server; `isNew` also opens a new session. */
  async open(isNew = false) {
    const response = await fetch(isNew ? "/chat/new" : "/chat", { method: "POST" }).catch(unreachable);
    if (!response.ok) throw new Refusal((await response.json()).error);
    const access = await response.json();
    this.#access = access;
    clearTimeout(this.#timer);
    const lifeMs = Date.parse(access.expiresAt) - Date.now();
    this.#timer = setTimeout(() => this.open().catch(() => {}), Math.max(1_000, lifeMs * renewAt));
  }

  /** The messages so far. */
  async messages() {
    const response = await this.#call("GET", "?format=ui");
    const { status, messages = [] } = await response.json();
    if (status === "active") return messages;
    await this.open(true);
    return [];
  }

  /** Sends a message and yields the events of the reply, across lost connections and calls of the page's tools. */
  async *send(text, onLost) {
    let turn = { triggerName: "user-message", input: { USER_MESSAGE: text }, onDisconnect: "continue" };
    while (turn !== undefined) {
      let next;
      for await (const event of this.#turn(turn, onLost)) {
        yield event;
        if (event.type !== "tool-request") continue;
        const toolResults = await Promise.all(event.toolCalls.map((call) => this.#execute(call)));
        next = { ...turn, toolResults };
      }
      turn = next;
    }
  }

  /** The events of one response. If it breaks, the rest is read from the event after the last one that arrived. */
  async *#turn(turn, onLost) {
    let executionId;
    let last = 0;
    let open = () => this.#call("POST", "/trigger", turn);
    for (let retries = 0; ; ) {
      try {
        const response = await open();
        for await (const { event, number } of eventsOf(response)) {
          if (event === undefined) return;
          // The server ends this response, but not the turn: it restarts, or the token of the request has expired.
          if (event.lastSequence !== undefined) {
            last = event.lastSequence;
            break;
          }
          if (event.interrupted) continue;
          last = number ?? last + 1;
          retries = 0;
          if (event.type === "start") executionId = event.executionId;
          yield event;
        }
      } catch (error) {
        if (error instanceof Refusal) throw error;
      }
      // Nothing has arrived, so the message may be lost: only the reader knows whether to send it again.
      if (executionId === undefined || ++retries > maxRetries) {
        throw new Refusal("The connection was lost. Check it and send the message again.");
      }
      onLost();
      await new Promise((resolve) => setTimeout(resolve, Math.min(250 * retries, 3_000)));
      open = () => this.#call("GET", `/executions/${executionId}/events?after=${last}`);
    }
  }

  async #execute({ toolCallId, toolName, args }) {
    const tool = this.#tools[toolName];
    if (tool === undefined) return { toolCallId, toolName, error: "This page has no such tool." };
    try {
      return { toolCallId, toolName, result: await tool(args) };
    } catch (error) {
      return { toolCallId, toolName, error: String(error) };
    }
  }

  /** A request about the session. A token that is refused, for example after the computer slept, is replaced once. */
  async #call(method, path, body) {
    for (let isSecond = false; ; isSecond = true) {
      const { url, sessionId, token } = this.#access;
      const response = await fetch(`${url}/api/agent-sessions/${sessionId}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch(unreachable);
      if (response.ok) return response;
      const { error } = await response.json();
      if (response.status >= 500 || response.status === 429) await pause(response);
      if (response.status >= 500 && method === "GET") throw new Error(error);
      if (response.status !== 401 || isSecond) throw new Refusal(error);
      await this.open();
    }
  }
}

function unreachable() {
  throw new Error("The chat cannot be reached. Check the connection and send the message again.");
}

function pause(response) {
  const seconds = Math.min(Number(response.headers.get("retry-after") ?? 1), 10);
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}

/** The events of a response, without `event` for its regular end. `number` is set where the server sends it. */
async function* eventsOf(response) {
  let buffer = "";
  for await (const chunk of textOf(response.body)) {
    const frames = (buffer + chunk).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) {
      const lines = frame.split("\n");
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      const id = lines.find((line) => line.startsWith("id: "))?.slice(4);
      if (data === "[DONE]") yield {};
      else if (data !== undefined) yield { event: JSON.parse(data), number: id && Number(id) };
    }
  }
}

/** Not every browser can iterate over a stream. */
async function* textOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
