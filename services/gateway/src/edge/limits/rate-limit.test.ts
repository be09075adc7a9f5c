import assert from "node:assert/strict";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { silentLogger } from "@muster/service";
import Fastify from "fastify";
import { test } from "vitest";
import type { App } from "../http/app.ts";
import { trustIn } from "../http/client-ip.ts";
import { limitPerClient, prepareRateLimits } from "./rate-limit.ts";

test("the rate limit counts a bounded number of clients and forgets the least recent one first", async (t) => {
  const app: App = Fastify({
    loggerInstance: silentLogger,
    trustProxy: trustIn(["127.0.0.1"]),
  }).withTypeProvider<TypeBoxTypeProvider>();
  t.onTestFinished(() => app.close());
  await prepareRateLimits(app);
  app.get("/", { onRequest: limitPerClient(app, 1, 3) }, async () => "");
  const statusFor = async (client: string) =>
    (await app.inject({ url: "/", headers: { "x-forwarded-for": client } })).statusCode;

  for (const client of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) assert.equal(await statusFor(client), 200);
  const refused = await statusFor("192.0.2.1");
  assert.notEqual(refused, 200);
  assert.equal(await statusFor("192.0.2.4"), 200);
  assert.equal(await statusFor("192.0.2.2"), 200, "forgotten");
  assert.equal(await statusFor("192.0.2.1"), refused, "seen later, so still counted");
});

test("routes with separate limits count separately", async (t) => {
  const app: App = Fastify({ loggerInstance: silentLogger }).withTypeProvider<TypeBoxTypeProvider>();
  t.onTestFinished(() => app.close());
  await prepareRateLimits(app);
  for (const url of ["/a", "/b"]) app.get(url, { onRequest: limitPerClient(app, 1) }, async () => "");
  app.get("/c", async () => "");
  for (const url of ["/a", "/b", "/c", "/c"]) assert.equal((await app.inject(url)).statusCode, 200);
  assert.notEqual((await app.inject("/a")).statusCode, 200);
});
