import assert from "node:assert/strict";
import { type Message, Role, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
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

function taskIn(result: Message | Task): Task {
  assert.ok("artifacts" in result, "the result is a message");
  return result;
}

describe("a workforce agent in A2A", () => {
  const scope = suiteScope();
  let world: Awaited<ReturnType<typeof startWorkforceWorld>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let lou: { agentId: string; client: Client };

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
    const path = `/api/admin/workforce/agents/${agentId}`;
    const key = await gateway.admin.field("key", 201, "POST", `${path}/keys`, { name: "A2A" });
    return { agentId, client: await connect(`${gateway.url}/api/a2a/${agentId}/`, key) };
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
});
