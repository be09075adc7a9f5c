import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { startProgram } from "@muster/example-testing";
import { startTestServer } from "@muster/local/testing/server";
import { serve, until } from "@muster/testing";
import { test } from "vitest";

const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";

/** Requests as Slack documents them; only the values that a test depends on are its own. */
const recorded = {
  check: {
    token: "Jhj5dZrVaK7ZwHHjRyZWjbDl",
    challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
    type: "url_verification",
  },
  mention: {
    ...{
      token: "ZZZZZZWSxiZZZ2yIvs3peJZZ",
      team_id: "T061EG9R6",
      api_app_id: "A0MDYCDME",
      type: "event_callback",
    },
    event: {
      ...{
        type: "app_mention",
        user: "U061F7AUR",
        text: "<@U0LAN0Z89> web-1 failed web-1",
        ts: "1515449522.000016",
      },
      ...{ channel: "C123ABC456", event_ts: "1515449522000016" },
    },
    ...{ event_id: "Ev0MDYGDKJ", event_time: 1_515_449_522, authorizations: [] },
  },
  click: {
    ...{
      type: "block_actions",
      api_app_id: "A02",
      token: "Shh_its_a_seekrit",
      trigger_id: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
    },
    user: { id: "U222", username: "mona", name: "mona", team_id: "T111" },
    container: {
      type: "message",
      message_ts: "1548261231.000200",
      channel_id: "CBR2V3XEX",
      is_ephemeral: false,
    },
  },
};

function slackHeaders(body: string, at = Date.now()): Record<string, string> {
  const time = String(Math.floor(at / 1_000));
  const mac = createHmac("sha256", signingSecret).update(`v0:${time}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${mac}` };
}

const postJson = (url: string, value: unknown) => {
  const body = JSON.stringify(value);
  const headers = { "content-type": "application/json", ...slackHeaders(body) };
  return fetch(url, { method: "POST", headers, body });
};

function click(url: string, action: string, approvalId: string, forged: Record<string, string> = {}) {
  const actions = [
    {
      type: "button",
      action_id: action,
      block_id: "=qXel",
      value: approvalId,
      action_ts: "1548426417.840180",
    },
  ];
  const body = new URLSearchParams({ payload: JSON.stringify({ ...recorded.click, actions }) }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", ...slackHeaders(body), ...forged };
  return fetch(url, { method: "POST", headers, body });
}

interface Message {
  channel: string;
  text: string;
  blocks?: Array<{ elements?: Array<{ action_id: string; value: string }> }>;
}

async function freePort(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(String(typeof address === "object" ? address?.port : "")));
  });
  return promise;
}

test("a mention in Slack reaches an agent, its question is posted with buttons, and after a click its answer", async (t) => {
  const { client, url, key } = await startTestServer(t, { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" });
  const posted: Message[] = [];
  const slack = await serve(t, async (request, response) => {
    assert.equal(request.headers.authorization, "Bearer xoxb-test");
    posted.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.end('{"ok":true}');
  });
  const bridge = `http://127.0.0.1:${await freePort()}`;
  const webhook = {
    url: `${bridge}/muster`,
    events: ["approval.requested", "thread.completed", "thread.failed"],
  };
  const secret = await client.field("secret", 201, "POST", "/api/admin/webhooks", webhook);
  const program = await startProgram(t, join(import.meta.dirname, "bridge.mjs"), {
    ...{ MUSTER_URL: url, MUSTER_API_KEY: key, MUSTER_WEBHOOK_SECRET: secret, PORT: new URL(bridge).port },
    ...{ SLACK_SIGNING_SECRET: signingSecret, SLACK_BOT_TOKEN: "xoxb-test", SLACK_CHANNEL: "C123ABC456" },
    SLACK_API_URL: slack,
  });
  await program.printed(/The bridge listens/);
  const lou = { name: "Lou", prebuilt: "log-analyst", approvals: { "files__*": "ask" } };
  const agentId = await client.field("agentId", 201, "POST", "/api/admin/workforce/agents", lou);
  const address = await client.field("url", 201, "POST", `/api/admin/workforce/agents/${agentId}/hooks`, {
    ...{ name: "Mentions", verify: { type: "slack", secret: signingSecret }, message: "{{EVENT_TEXT}}" },
    ...{
      threadKey: "{{EVENT_CHANNEL}} {{#if EVENT_THREAD_TS}}{{EVENT_THREAD_TS}}{{else}}{{EVENT_TS}}{{/if}}",
      filter: { properties: { event: { properties: { type: { const: "app_mention" } } } } },
    },
  });
  const hook = new URL(address, url).href;

  const checked = await postJson(hook, recorded.check);
  assert.deepEqual([checked.status, await checked.json()], [200, { challenge: recorded.check.challenge }]);
  for (const _repeat of [1, 2]) assert.equal((await postJson(hook, recorded.mention)).status, 202);

  const buttons = () => posted.flatMap(({ blocks = [] }) => blocks.flatMap(({ elements = [] }) => elements));
  const interactivity = `${bridge}/slack/interactivity`;
  const clicked = new Set<string>();
  const isDone = () => posted.some(({ text }) => text.includes("files__") && !text.startsWith("May"));
  await until("the agent has answered", async () => {
    for (const { action_id, value } of buttons()) {
      if (action_id !== "approve" || clicked.has(value)) continue;
      clicked.add(value);
      const forged = await click(interactivity, "approve", value, { "x-slack-signature": "v0=00" });
      assert.equal(forged.status, 401);
      assert.equal((await click(interactivity, "approve", value)).status, 200);
    }
    return isDone();
  });
  assert.ok(clicked.size > 0);
  assert.ok(posted.every(({ channel }) => channel === "C123ABC456"));
  assert.ok(
    posted.some(({ text }) => text === "mona has approved the call."),
    program.output(),
  );
  const { threads } = await client.json(200, "GET", `/api/admin/workforce/agents/${agentId}/threads`);
  assert.ok(Array.isArray(threads) && threads.length === 1);
  const forgedEvent = await fetch(`${bridge}/muster`, { method: "POST", body: "{}" });
  assert.equal(forgedEvent.status, 401);
});
