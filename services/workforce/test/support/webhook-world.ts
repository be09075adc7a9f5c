import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { type GuardedFetch, GuardedResponse } from "@muster/guarded-fetch";
import { createSecretBox, ManualClock, Secret, silentLogger } from "@muster/service";
import type { WorkforceContext } from "../../src/context.ts";
import { createDeliveryStore } from "../../src/store/delivery-store.ts";
import type { DeliveryDocument, WebhookDocument } from "../../src/store/webhook-document.ts";
import { createWebhookStore } from "../../src/store/webhook-store.ts";
import { rotateSecret } from "../../src/webhooks/secrets.ts";
import { projectId } from "./documents.ts";
import { MemoryStore, type Step } from "./memory-db.ts";

/** Receives a request. Returns the status of its answer. */
export type Receive = (url: string, eventId: string, body: string) => Promise<number>;

const secretBox = createSecretBox([new Secret("ab".repeat(32))]);

/** Webhooks and deliveries in memory, for the real stores and functions. Checks what is written. */
export class WebhookWorld {
  readonly clock = new ManualClock(Date.parse("2026-11-22T12:00:00Z"));
  readonly webhooks = new Map<string, WebhookDocument>();
  /** By webhook and event. */
  readonly deliveries = new Map<string, DeliveryDocument>();
  readonly #receive: Receive;
  #ids = 0;

  readonly #store = new MemoryStore((collection, before, after) => {
    if (collection === "webhooks") {
      const webhook = after as unknown as WebhookDocument;
      this.webhooks.set(webhook._id, webhook);
      return;
    }
    const delivery = after as unknown as DeliveryDocument;
    const key = `${delivery.webhookId} ${delivery.eventId}`;
    assert.equal(before?._id, this.deliveries.get(key)?._id, `${key} is stored twice`);
    this.deliveries.set(key, delivery);
  });

  constructor(receive: Receive) {
    this.#receive = receive;
  }

  /** The context of one process. */
  context(step: Step = async (effect) => effect()): WorkforceContext {
    const db = this.#store.connect(step);
    const webhookFetch: GuardedFetch = async (url, options, signal) => {
      const { body, headers } = options ?? {};
      const received = this.#receive(String(url), headers?.["webhook-id"] ?? "", String(body));
      const status = await (signal ? abortable(received, signal) : received);
      return new GuardedResponse(new URL(url), status, new Headers(), Readable.from([]));
    };
    const context = {
      webhooks: createWebhookStore(db),
      deliveries: createDeliveryStore(db),
      ...{ secretBox, webhookFetch, clock: this.clock, log: silentLogger, random: Math.random },
      wakeUps: { webhookChanged: () => undefined },
      newId: (prefix: string) => `${prefix}_${++this.#ids}`,
      instance: `instance ${++this.#ids}`,
      timings: { pollEveryMs: 3_600_000, webhookTimeoutMs: 10_000 },
    };
    // Only the parts that these functions use.
    return context as unknown as WorkforceContext;
  }

  async addWebhook(_id: string, fields: Partial<WebhookDocument> = {}): Promise<void> {
    const context = this.context();
    const now = new Date(this.clock.now());
    await context.webhooks.insert({
      ...{ _id, projectId, url: `https://example.com/${_id}`, events: ["thread.completed"], enabled: true },
      secrets: rotateSecret(context, { projectId, _id }, []).secrets,
      ...{ failures: 0, lease: null, epoch: 0, rev: 0, createdAt: now, updatedAt: now, ...fields },
    });
  }
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return Promise.race([work, promise]);
}
