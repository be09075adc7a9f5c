import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { EchoService } from "@muster/proto/testing";
import { silentLogger } from "@muster/service";
import { test } from "vitest";
import { verifier } from "../test/support/support.ts";
import { createRpcClient } from "./client.ts";
import { readRpcError } from "./errors.ts";
import { mountPartial, mountService } from "./handling.ts";
import { createInProcessTransport } from "./in-process-transport.ts";

const echo = ({ text }: { text: string }) => ({ text });

test("a service with a missing method does not compile", () => {
  // @ts-expect-error `append` and `count` are missing.
  assert.ok(mountService(EchoService, { echo }));
});

test("a partially mounted service returns UNIMPLEMENTED for its missing methods", async () => {
  const mounted = mountPartial(EchoService, { echo });
  const transport = createInProcessTransport([mounted], { verifier, log: silentLogger });
  const client = createRpcClient(EchoService, transport);
  assert.equal((await client.echo({ text: "hello" })).text, "hello");
  await assert.rejects(client.append({}), (error) => readRpcError(error).code === Code.Unimplemented);
});
