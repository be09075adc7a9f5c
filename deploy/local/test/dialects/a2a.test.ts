import assert from "node:assert/strict";
import { type Message, Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startGateway } from "../support/workforce/start-gateway.ts";
import { runs, says, startWorkforceWorld } from "../support/workforce/world.ts";

/** The unmodified client, with this key. */
async function connect(url: string, key: string): Promise<Client> {
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers: async () => ({ authorization: `Bearer ${key}` }),
    shouldRetryWithHeaders: async () => undefined,
  });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return await factory.createFromUrl(url);
}

let sent = 0;
function message(text: string, fields: Partial<Message> = {}) {
  sent += 1;
  const parts = [
    { content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" },
  ];
  const rest = { metadata: undefined, extensions: [], referenceTaskIds: [], contextId: "", taskId: "" };
  const whole: Message = { messageId: `msg-${sent}`, role: Role.ROLE_USER, parts, ...rest, ...fields };
  return { tenant: "", message: whole, configuration: undefined, metadata: undefined };
}

function textOf({ artifacts }: Task): string {
  return artifacts
    .flatMap(({ parts }) => parts)
    .map(({ content }) => (content?.$case === "text" ? content.value : ""))
    .join("");
}

const immediately = {
  ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
};

/** A task as a client has it that applies the updates of a stream. */
async function follow(stream: AsyncIterable<StreamResponse>, seen: TaskState[] = []) {
  let task: Task | undefined;
  for await (const { payload } of stream) {
    if (payload?.$case === "task") task = payload.value;
    assert.ok(task, "the stream does not begin with the task");
    if (payload?.$case === "statusUpdate") task.status = payload.value.status;
    if (payload?.$case === "artifactUpdate") {
      const { artifact, append } = payload.value;
      assert.ok(artifact);
      const known = task.artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
      if (known === undefined) task.artifacts.push(artifact);
      else known.parts = append ? [...known.parts, ...artifact.parts] : artifact.parts;
    }
    const { state = TaskState.UNRECOGNIZED } = task.status ?? {};
    if (seen.at(-1) !== state) seen.push(state);
  }
  assert.ok(task, "the stream is empty");
  return task;
}

function taskIn(result: Message | Task): Task {
  assert.ok("artifacts" in result, "the result is a message");
  return result;
}

describe("a workforce agent in A2A", () => {
  const scope = suiteScope();
  let world: Awaited<ReturnType<typeof startWorkforceWorld>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let lou: Awaited<ReturnType<typeof hire>>;

  beforeAll(async () => {
    world = await startWorkforceWorld(scope);
    gateway = await startGateway(scope, world);
    world.provider.answerBy(({ body }) => {
      const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
      if (last?.role === "tool") return says("After the tool.");
      return /ask/.test(JSON.stringify(last)) ? runs("echo one") : says("Hello you.");
    });
    lou = await hire();
  });

  async function hire() {
    const { agentId } = await world.hire();
    await world.first.client.updateAgent({ agentId, approvals: { rules: { shell: "ask" } } }, world.as());
    const path = `/api/admin/workforce/agents/${agentId}`;
    const key = await gateway.admin.field("key", 201, "POST", `${path}/keys`, { name: "A2A" });
    const client = await connect(`${gateway.url}/api/a2a/${agentId}/`, key);
    return { agentId, key, client };
  }

  test("its card names the agent, and its messages return finished tasks with the result as artifact", async () => {
    const card = await lou.client.getAgentCard();
    assert.equal(card.name, "Lou");
    const sent = message("Greet");
    const task = taskIn(await lou.client.sendMessage(sent));
    assert.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
    assert.equal(textOf(task), "Hello you.");
    const repeated = taskIn(await lou.client.sendMessage(sent));
    assert.equal(repeated.id, task.id);
    const read = await lou.client.getTask({ tenant: "", id: task.id, historyLength: 2 });
    assert.deepEqual(
      read.history.map(({ role }) => role),
      [Role.ROLE_USER, Role.ROLE_AGENT],
    );
    const { tasks } = await lou.client.listTasks({
      ...{ tenant: "", contextId: "", status: TaskState.TASK_STATE_COMPLETED, pageToken: "" },
      statusTimestampAfter: undefined,
    });
    assert.ok(tasks.some(({ id }) => id === task.id));
    const followed = taskIn(await lou.client.sendMessage(message("Again", { taskId: task.id })));
    assert.deepEqual([followed.id, textOf(followed)], [task.id, "Hello you.Hello you."]);
  });

  test("a stream shows the task, its text as it is written, and its end, also of a follow-up and of a repeat", async () => {
    const states: TaskState[] = [];
    const sent = message("Greet");
    const task = await follow(lou.client.sendMessageStream(sent), states);
    assert.deepEqual([states.at(-1), textOf(task)], [TaskState.TASK_STATE_COMPLETED, "Hello you."]);
    const read = await lou.client.getTask({ tenant: "", id: task.id });
    assert.deepEqual([textOf(read), read.status?.state], [textOf(task), task.status?.state]);
    const again = await follow(lou.client.sendMessageStream(message("Again", { contextId: task.id })));
    assert.equal(textOf(again), "Hello you.Hello you.");
    assert.equal(textOf(await follow(lou.client.sendMessageStream(sent))), textOf(again));
  });

  test("a reader that was cut off subscribes in mid-text, and has the whole text once", async () => {
    const gate = Promise.withResolvers<void>();
    world.provider.add({ parts: [{ text: "One " }, { until: gate.promise }, { text: "two." }] });
    const cut = new AbortController();
    let id = "";
    for await (const { payload } of lou.client.sendMessageStream(message("Count"), { signal: cut.signal })) {
      if (payload?.$case === "task") id = payload.value.id;
      if (payload?.$case === "artifactUpdate") break;
    }
    cut.abort();
    const seen: TaskState[] = [];
    const rest = follow(lou.client.resubscribeTask({ tenant: "", id }), seen);
    await until("the subscriber is there", async () => seen.length > 0);
    gate.resolve();
    assert.equal(textOf(await rest), "One two.");
  });

  test("a task that waits for a user's decision requires input, and its subscriber sees it continue", async () => {
    const states: TaskState[] = [];
    const asking = await follow(lou.client.sendMessageStream(message("ask")), states);
    assert.equal(asking.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
    const [, approvalId = ""] = /(apr_\w+)/.exec(JSON.stringify(asking.status?.message)) ?? [];
    const read = taskIn(await lou.client.sendMessage(message("ask", { taskId: asking.id })));
    assert.equal(read.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
    const seen: TaskState[] = [];
    const rest = follow(lou.client.resubscribeTask({ tenant: "", id: asking.id }), seen);
    await until("the subscriber is there", async () => seen.length > 0);
    await gateway.admin.json(200, "POST", `/api/approvals/${approvalId}`, { decision: "approve" });
    assert.match(textOf(await rest), /^After the tool\./);
    assert.equal(seen[0], TaskState.TASK_STATE_INPUT_REQUIRED);
    assert.ok(seen.includes(TaskState.TASK_STATE_WORKING), seen.join());
    await lou.client.cancelTask({ tenant: "", id: asking.id, metadata: undefined });
  });

  test("a running task and a queued one are cancelled, and one that has ended is not", async () => {
    const gate = Promise.withResolvers<void>();
    world.provider.add({ parts: [{ text: "One " }, { until: gate.promise }] });
    const start = async (text: string) => {
      const sent = { ...message(text), configuration: immediately };
      return taskIn(await lou.client.sendMessage(sent)).id;
    };
    const running = await start("Count");
    const reader = follow(lou.client.resubscribeTask({ tenant: "", id: running }));
    const queued = await start("Count");
    for (const id of [queued, running]) {
      const { status } = await lou.client.cancelTask({ tenant: "", id, metadata: undefined });
      assert.equal(status?.state, TaskState.TASK_STATE_CANCELED);
    }
    assert.equal((await reader).status?.state, TaskState.TASK_STATE_CANCELED);
    gate.resolve();
    const { id } = taskIn(await lou.client.sendMessage(message("Greet")));
    const ended = { tenant: "", id, metadata: undefined };
    await assert.rejects(lou.client.cancelTask(ended), TaskNotCancelableError);
    await assert.rejects(follow(lou.client.resubscribeTask(ended)), UnsupportedOperationError);
  });

  test("a run that fails is a failed task with its reason, in streams and in reads", async () => {
    world.provider.add({ status: 400, body: JSON.stringify({ error: { message: "No." } }) });
    const task = await follow(lou.client.sendMessageStream(message("Fail")));
    assert.equal(task.status?.state, TaskState.TASK_STATE_FAILED);
    const read = await lou.client.getTask({ tenant: "", id: task.id });
    assert.ok(read.status?.message);
    assert.deepEqual(task.status, read.status);
  });

  test("whatever the protocol has no place for is refused by its own errors", async () => {
    const unknown = { tenant: "", id: "thr_none", metadata: undefined };
    await assert.rejects(lou.client.getTask(unknown), TaskNotFoundError);
    await assert.rejects(follow(lou.client.resubscribeTask(unknown)), TaskNotFoundError);
    const push = { tenant: "", taskId: "thr_none", id: "p" };
    await assert.rejects(
      lou.client.deleteTaskPushNotificationConfig(push),
      PushNotificationNotSupportedError,
    );
    const raw = { $case: "raw" as const, value: Buffer.from("a") };
    const parts = [{ content: raw, metadata: undefined, filename: "a", mediaType: "text/plain" }];
    await assert.rejects(lou.client.sendMessage(message("", { parts })), ContentTypeNotSupportedError);
    await assert.rejects(lou.client.sendMessage(message("a", { messageId: "a b" })), RequestMalformedError);
    const other = await hire();
    const { id } = taskIn(await lou.client.sendMessage(message("Greet")));
    await assert.rejects(other.client.getTask({ tenant: "", id }), TaskNotFoundError);
    const old = { jsonrpc: "2.0", id: 1, method: "message/send", params: {} };
    const response = await fetch(`${gateway.url}/api/a2a/${lou.agentId}`, {
      method: "POST",
      headers: { authorization: `Bearer ${lou.key}`, "content-type": "application/json" },
      body: JSON.stringify(old),
    });
    assert.partialDeepStrictEqual(await response.json(), { id: 1, error: { code: -32009 } });
  });
});
