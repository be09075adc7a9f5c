import assert from "node:assert/strict";
import { anAuditEntry } from "@muster/events/testing";
import { until } from "@muster/testing";
import fc from "fast-check";
import { type TestContext, test } from "vitest";
import { projectId } from "../../test/support/documents.ts";
import type { Step } from "../../test/support/memory-db.ts";
import { type Receive, WebhookWorld } from "../../test/support/webhook-world.ts";
import type { WorkforceContext } from "../context.ts";
import { createDeliverer } from "./deliverer.ts";
import { publishNotice } from "./publish-notice.ts";
import { sendDue } from "./send-due.ts";

async function publish(context: WorkforceContext, id: string): Promise<void> {
  const at = new Date("2026-11-22T12:00:00Z");
  const changed = { projectId, agentId: "agt_a", ids: { threadId: id } };
  await publishNotice(context, changed, { id, type: "thread.completed", at, data: {} }, 1);
}

function startDeliverer(t: TestContext, world: WebhookWorld): ReturnType<typeof createDeliverer> {
  const deliverer = createDeliverer(world.context());
  deliverer.start();
  t.onTestFinished(() => deliverer.stop());
  return deliverer;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `whk_${index}`);

test("webhooks whose receivers hang leave the turns of their project to others", async (t) => {
  const received = new Set<string>();
  const world = new WebhookWorld((url) => {
    received.add(new URL(url).pathname);
    return url.endsWith("fast") ? Promise.resolve(204) : new Promise(() => {});
  });
  for (const name of names(40)) await world.addWebhook(name, { failures: 1 });
  await publish(world.context(), "evt_1");
  const deliverer = startDeliverer(t, world);
  await until("all turns are taken", () => received.size === 16);
  await world.addWebhook("whk_fast");
  await publish(world.context(), "evt_2");
  deliverer.wake();
  await until("the fast one has it", () => received.has("/whk_fast"));
});

test("a webhook that fails is asked once in its turn, however many events wait", async (t) => {
  const received: string[] = [];
  const world = new WebhookWorld(async (url) => {
    received.push(url);
    return 500;
  });
  for (const name of names(20)) await world.addWebhook(name, { failures: 1 });
  for (const event of names(5)) await publish(world.context(), event);
  startDeliverer(t, world);
  await until("all were sent", () => received.length === 100);
  assert.equal(new Set(received.slice(0, 36)).size, 20);
});

class Died extends Error {}

type Action =
  | { type: "publish" | "deliver" | "rotate" | "replay" }
  | { type: "enable"; enabled: boolean }
  | { type: "pass"; ms: number };

interface Process {
  action: Action;
  /** Its command at which it dies, before or after the effect. */
  death: { command: number; isBefore: boolean } | undefined;
}

const events = ["evt_1", "evt_2", "evt_3"];
const always = { projectId, webhookId: "whk_always" };
const sometimes = { projectId, webhookId: "whk_sometimes" };

/** Every command and request of a process is a turn of the scheduler. Once dead, it does nothing more. */
function stepOf(turn: () => Promise<unknown>, death: Process["death"]): Step {
  let command = -1;
  let isDead = false;
  return async (effect) => {
    command += 1;
    const dies = command === death?.command;
    await turn();
    if (isDead || (dies && death.isBefore)) {
      isDead = true;
      throw new Died();
    }
    const value = effect();
    isDead = dies;
    if (isDead) throw new Died();
    return value;
  };
}

async function act(context: WorkforceContext, action: Action, outbox: Set<string>, step: Step) {
  const { webhooks, deliveries, clock } = context;
  const now = () => new Date(clock.now());
  switch (action.type) {
    case "publish":
      for (const event of [...outbox]) {
        await publish(context, event);
        await step(() => outbox.delete(event));
      }
      return;
    case "deliver":
      for (const pace of ["steady", "failing"] as const) {
        const due = await webhooks.findDue(now(), pace, { ids: [], projectIds: [] }, 10);
        await Promise.all(due.map((webhook) => sendDue(context, webhook, new AbortController().signal)));
      }
      return;
    case "rotate": {
      const webhook = await webhooks.find(always);
      if (webhook)
        await webhooks.replaceSecrets(always, webhook, [...webhook.secrets], now(), anAuditEntry());
      return;
    }
    case "replay": {
      const [delivery] = await deliveries.list(always, {}, 1);
      if (!delivery) return;
      const key = { ...always, deliveryId: delivery._id };
      await deliveries.replay(key, now(), new Date(clock.now() + 86_400_000));
      return webhooks.becomeDue(projectId, [always.webhookId], now());
    }
    case "enable":
      return webhooks.update(sometimes, { enabled: action.enabled }, now(), anAuditEntry());
  }
}

async function check(sent: readonly Process[], refusals: readonly boolean[], scheduler: fc.Scheduler) {
  let isQuiet = true;
  const turn = () => (isQuiet ? Promise.resolve() : scheduler.schedule(Promise.resolve()));
  const waiting = [...refusals];
  const accepted = new Set<string>();
  const bodies = new Map<string, string>();
  const receive: Receive = async (url, eventId, body) => {
    await turn();
    assert.equal(bodies.get(eventId) ?? body, body, "one id has two bodies");
    bodies.set(eventId, body);
    if (waiting.shift()) return 503;
    accepted.add(`${new URL(url).pathname.slice(1)} ${eventId}`);
    return 204;
  };
  const world = new WebhookWorld(receive);
  const outbox = new Set(events);
  for (const { webhookId } of [always, sometimes]) await world.addWebhook(webhookId);
  isQuiet = false;
  const ends = sent.map(async ({ action, death }) => {
    const step = stepOf(turn, death);
    if (action.type === "pass") return step(() => world.clock.advance(action.ms)).catch(() => undefined);
    await act(world.context(step), action, outbox, step).catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
    });
  });
  await scheduler.waitFor(Promise.all(ends));

  // The other processes, once all of these are dead.
  isQuiet = true;
  const step: Step = async (effect) => effect();
  const context = world.context();
  const pending = () => [...world.deliveries.values()].filter(({ status }) => status === "pending");
  await act(context, { type: "enable", enabled: true }, outbox, step);
  for (let tries = 0; outbox.size > 0 || pending().length > 0; tries++) {
    assert.ok(tries < 50, `${pending().length} deliveries are never sent`);
    for (const type of ["publish", "deliver"] as const) await act(context, { type }, outbox, step);
    world.clock.advance(600_000);
  }
  for (const event of events) assert.ok(world.deliveries.has(`${always.webhookId} ${event}`), event);
  for (const [key, { status }] of world.deliveries) {
    assert.equal(status, "delivered");
    assert.ok(accepted.has(key), `${key} was never accepted`);
  }
}

test("an event of a process that died before its webhook was marked is sent once the webhook is enabled again", async () => {
  const received: string[] = [];
  const world = new WebhookWorld(async (_url, eventId) => {
    received.push(eventId);
    return 204;
  });
  await world.addWebhook(sometimes.webhookId);
  // Its commands: the receivers, the delivery, the webhook.
  const dying = stepOf(async () => undefined, { command: 2, isBefore: true });
  await assert.rejects(publish(world.context(dying), "evt_1"), Died);
  const step: Step = async (effect) => effect();
  const context = world.context();
  const outbox = new Set(["evt_1"]);
  await act(context, { type: "enable", enabled: false }, outbox, step);
  await act(context, { type: "publish" }, outbox, step);
  await act(context, { type: "enable", enabled: true }, outbox, step);
  await act(context, { type: "deliver" }, outbox, step);
  assert.deepEqual([received, outbox.size], [["evt_1"], 0]);
});

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constantFrom("publish", "deliver", "deliver", "rotate", "replay") }),
  fc.record({ type: fc.constant("enable" as const), enabled: fc.boolean() }),
  fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(6_000, 40_000, 200_000) }),
);
const death = fc.option(fc.record({ command: fc.nat(14), isBefore: fc.boolean() }), { nil: undefined });
const processes = fc.array(fc.record({ action, death }), { minLength: 2, maxLength: 8 });

test("whichever processes die at whichever command, each event is stored once and sent until it is accepted", async () => {
  const refusals = fc.array(fc.boolean(), { maxLength: 8 });
  const property = fc.asyncProperty(processes, refusals, fc.scheduler(), check);
  await fc.assert(property, { numRuns: 200 * Number(process.env.LONG_RUN ?? 1) });
});
