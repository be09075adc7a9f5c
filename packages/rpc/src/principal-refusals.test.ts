import assert from "node:assert/strict";
import { EchoService } from "@muster/proto/testing";
import { ManualClock, Secret, systemClock } from "@muster/service";
import { collect, failureOf } from "@muster/testing";
import { test } from "vitest";
import { principal, recordingLog, signer, startServer } from "../test/support/support.ts";
import { callOptions } from "./call-context.ts";
import { createRpcClient } from "./client.ts";
import { Reason, readRpcError, rpcError } from "./errors.ts";
import { createPrincipalSigner } from "./principal.ts";
import { createPrincipalRefusals } from "./principal-refusals.ts";
import { createRpcTransport } from "./rpc-transport.ts";

const method = EchoService.method.echo;

test("a caller whose signature a service refuses logs what to do, for calls of both kinds, and no principal", async (t) => {
  const { address } = await startServer(t, { echo: () => ({}), async *count() {} });
  for (const call of ["echo", "count"] as const) {
    const { log, lines } = recordingLog();
    const transport = createRpcTransport({ addresses: [address], services: [EchoService], log });
    t.onTestFinished(() => transport.close());
    const client = createRpcClient(EchoService, transport);
    const send = async (signed: string) => {
      const options = callOptions({ principal: signed, requestId: "req_1" });
      if (call === "echo") await client.echo({}, options);
      else await collect(client.count({}, options));
    };
    await send(signer.sign(principal));
    assert.equal(lines.join(), "");
    const signed = createPrincipalSigner([new Secret("of another process")], systemClock).sign(principal);
    assert.equal(readRpcError(await failureOf(send(signed))).reason, Reason.PRINCIPAL_REFUSED);
    await failureOf(send(signed));
    const [line = "", ...more] = lines;
    assert.match(line, /EchoService.*the same MUSTER_PRINCIPAL_SECRET/);
    assert.ok(!line.includes(signed));
    assert.deepEqual(more, []);
  }
});

test("one line a minute for each reason, however many calls fail, and none for other failures", () => {
  const { log, lines } = recordingLog();
  const clock = new ManualClock();
  const refusals = createPrincipalRefusals(log, clock);
  const fail = (reason: Reason) => refusals.note(method, rpcError(reason, "x"));
  for (const reason of [Reason.UNAUTHENTICATED, Reason.UNAVAILABLE, Reason.FORBIDDEN]) fail(reason);
  refusals.note(method, new Error("x"));
  assert.equal(lines.length, 0);
  const failAll = () => {
    for (let i = 0; i < 100; i++) {
      for (const reason of [Reason.PRINCIPAL_REFUSED, Reason.PRINCIPAL_EXPIRED]) fail(reason);
    }
  };
  failAll();
  assert.match(lines[0] ?? "", /MUSTER_PRINCIPAL_SECRET/);
  assert.match(lines[1] ?? "", /clocks/);
  clock.advance(59_999);
  failAll();
  assert.equal(lines.length, 2);
  clock.advance(1);
  failAll();
  assert.equal(lines.length, 4);
});
