import assert from "node:assert/strict";
import { Secret } from "@muster/service";
import { Webhook } from "standardwebhooks";
import { describe, test } from "vitest";
import type { VerificationType } from "../store/hook-document.ts";
import { verifyDelivery } from "./verify-delivery.ts";

interface Recorded {
  secret: string;
  headers: Record<string, string>;
  body: string;
  /** Seconds since 1970. */
  at: number;
  identity: RegExp;
}

/** The examples that the senders' own documentation publishes. */
const recorded: Record<VerificationType, Recorded> = {
  "standard-webhooks": {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    body: '{"test": 2432232314}',
    at: 1_614_265_330,
    identity: /^id msg_p5jXN8AQM9LWM0D4loKWxJek$/,
  },
  github: {
    secret: "It's a Secret to Everybody",
    headers: {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    },
    body: "Hello, World!",
    at: 1_700_000_000,
    identity: /^body dffd6021bb2b/,
  },
  slack: {
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    at: 1_531_420_618,
    identity: /^body [0-9a-f]{64}$/,
  },
  bearer: {
    secret: "a-token-of-sixteen-or-more",
    headers: { authorization: "Bearer a-token-of-sixteen-or-more", "idempotency-key": "alert-7" },
    body: "{}",
    at: 1_700_000_000,
    identity: /^id alert-7$/,
  },
};

function verify(
  type: VerificationType,
  { secret, headers, body, at }: Recorded,
  changed: { headers?: Record<string, string>; body?: string; secrets?: string[]; lateS?: number } = {},
) {
  const secrets = (changed.secrets ?? [secret]).map((text) => new Secret(text));
  const posted = { headers: { ...headers, ...changed.headers }, body: Buffer.from(changed.body ?? body) };
  return verifyDelivery(type, secrets, posted, (at + (changed.lateS ?? 0)) * 1_000);
}

/** With another last character. */
const damaged = (text: string) => text.slice(0, -2) + (text.at(-2) === "0" ? "1" : "0") + text.slice(-1);

describe.each(Object.entries(recorded) as Array<[VerificationType, Recorded]>)("a %s hook", (type, one) => {
  test("accepts the published example, also with an older secret, and identifies it by its proof", () => {
    assert.match(verify(type, one) ?? "refused", one.identity);
    assert.match(
      verify(type, one, { secrets: ["another-secret-of-this-hook", one.secret] }) ?? "",
      one.identity,
    );
  });

  test("refuses another secret, a damaged proof, and a request without one", () => {
    assert.equal(verify(type, one, { secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx"] }), undefined);
    for (const name of Object.keys(one.headers)) {
      if (["x-github-delivery", "idempotency-key"].includes(name)) continue;
      for (const value of [damaged(one.headers[name] ?? ""), ""])
        assert.equal(verify(type, one, { headers: { [name]: value } }), undefined, `${name}: ${value}`);
    }
    const nothing = { headers: {}, body: Buffer.from(one.body) };
    assert.equal(verifyDelivery(type, [new Secret(one.secret)], nothing, one.at * 1_000), undefined);
    assert.equal(verify(type, one, { secrets: [] }), undefined);
  });

  test("refuses another body if the proof covers it", () => {
    const other = verify(type, one, { body: `${one.body} ` });
    assert.equal(other !== undefined, type === "bearer");
  });

  test("refuses a proof that is more than 5 minutes old or early, if it has a time", () => {
    const isTimed = type === "standard-webhooks" || type === "slack";
    for (const lateS of [-301, 301]) assert.equal(verify(type, one, { lateS }) === undefined, isTimed);
    for (const lateS of [-299, 299]) assert.notEqual(verify(type, one, { lateS }), undefined);
  });
});

test("a Standard Webhooks hook accepts the requests of a public library, and no id with a dot", () => {
  const { secret, at, body } = recorded["standard-webhooks"];
  const signed = (id: string): Recorded => ({
    ...recorded["standard-webhooks"],
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,bm8= ${new Webhook(secret).sign(id, new Date(at * 1_000), body)}`,
    },
  });
  assert.equal(verify("standard-webhooks", signed("msg_1")), "id msg_1");
  assert.equal(verify("standard-webhooks", signed("msg.1")), undefined);
});

test("a GitHub delivery keeps its identity under another delivery id, which is not signed", () => {
  const other = { headers: { "x-github-delivery": "another" } };
  assert.equal(verify("github", recorded.github, other), verify("github", recorded.github));
});
