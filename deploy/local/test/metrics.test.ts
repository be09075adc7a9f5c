import assert from "node:assert/strict";
import { scrape } from "@muster/metrics/testing";
import { temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { TestProcess } from "./support/process.ts";

const served = /"url":"([^"]+)".*metrics are served/;

test("npm start serves the metrics of all services on a port of their own", async (t) => {
  const env = {
    PORT: "0",
    METRICS_PORT: "0",
    DATA_DIR: await temporaryDirectory(t),
    MUSTER_COMMIT_SHA: "1f2e3d",
  };
  const muster = new TestProcess(t, env);
  const [, url = ""] = await muster.printed(/running at (http:\S+)/);
  const [, metricsUrl = ""] = await muster.printed(served);
  assert.notEqual(new URL(url).port, new URL(metricsUrl).port);
  await until("it is ready", async () => (await scrape(metricsUrl)).total("muster_ready") === 1);
  const metrics = await scrape(metricsUrl);
  assert.equal(metrics.total("muster_build_info", { process: "local", commit: "1f2e3d" }), 1);
  assert.ok(metrics.total("muster_rpc_requests_total", { service: "grpc.health.v1.Health" }) > 0);
  assert.equal((await fetch(`${url}/metrics`)).status, 404, "the public port has none");
  muster.child.kill("SIGTERM");
  assert.equal(await muster.exitCode(), 0);
});

test("npm start with a METRICS_PORT in use reports that in a sentence and exits with 1", async (t) => {
  const directory = await temporaryDirectory(t);
  const first = new TestProcess(t, { PORT: "0", METRICS_PORT: "0", DATA_DIR: `${directory}/1` });
  const [, url = ""] = await first.printed(served);
  const { port } = new URL(url);
  const second = new TestProcess(t, { PORT: "0", METRICS_PORT: port, DATA_DIR: `${directory}/2` });
  assert.equal(await second.exitCode(), 1);
  assert.match(
    second.errors,
    /^Muster cannot start: METRICS_PORT \d+ is already in use on 127\.0\.0\.1; [^\n]*\.\n$/,
  );
});
