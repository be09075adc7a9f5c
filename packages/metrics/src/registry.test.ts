import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { CollectedMetrics, readExposition } from "../test/support/index.ts";
import { definitionOf, metricNames } from "./definitions.ts";
import { MetricsRegistry } from "./registry.ts";

const never = () => new Promise<number>(() => {});

describe("metrics", () => {
  test("follow Prometheus' rules for names, units and help", () => {
    for (const name of metricNames) {
      const { type, help, labels, buckets = [] } = definitionOf(name);
      assert.match(name, /^muster_[a-z]+(_[a-z]+)*$/);
      assert.equal(type === "counter", name.endsWith("_total"), `${name}: only counters end with _total`);
      assert.doesNotMatch(name, /_(ms|milliseconds|minutes|kb|mb|count|sum|bucket)(_|$)/);
      assert.match(help, /^[A-Z0-9].*\.$/, name);
      for (const label of Object.keys(labels)) assert.match(label, /^(?!le$|__)[a-z_]+$/);
      assert.equal(type === "histogram", buckets.length > 0, `${name}: a histogram names its buckets`);
    }
  });

  test("are a valid exposition, Node's own among them, and counters with known labels begin at 0", async () => {
    const registry = new MetricsRegistry({ process: "local" });
    const families = readExposition(await registry.render());
    for (const name of metricNames) assert.ok(families.has(name), name);
    for (const name of [
      "process_cpu_seconds_total",
      "nodejs_heap_size_used_bytes",
      "process_start_time_seconds",
    ])
      assert.ok((families.get(name)?.samples.length ?? 0) > 0, name);
    assert.match(registry.contentType, /^text\/plain; version=0\.0\.4/);
  });

  test("of a process are those that it has", async () => {
    const { families } = await new CollectedMetrics("auth").read();
    const expected = metricNames.filter((name) => definitionOf(name).processes.includes("auth"));
    assert.deepEqual([...families.keys()].sort(), [...expected].sort());
  });

  test("of two registries in one process are counted apart", async () => {
    const [one, other] = [new CollectedMetrics(), new CollectedMetrics()];
    one.count("muster_rpc_requests_total", { service: "s", method: "m", code: "OK" });
    assert.equal((await one.read()).total("muster_rpc_requests_total"), 1);
    assert.equal((await other.read()).total("muster_rpc_requests_total"), 0);
  });

  test("with hostile label values stay readable", async () => {
    const metrics = new CollectedMetrics();
    const method = 'a"b\\c\nd{}__proto__';
    metrics.count("muster_rpc_requests_total", { service: "constructor", method, code: "OK" }, 2);
    assert.deepEqual((await metrics.read()).values("muster_rpc_requests_total", "method"), [method]);
  });
});

describe("a gauge", () => {
  test("is read at every scrape, and ends", async () => {
    const metrics = new CollectedMetrics();
    let value = 0;
    const end = metrics.gauge("muster_event_loop_delay_seconds", { quantile: "0.5" }, () => value);
    for (value of [3, 5])
      assert.equal((await metrics.read()).total("muster_event_loop_delay_seconds"), value);
    end();
    assert.deepEqual((await metrics.read()).values("muster_event_loop_delay_seconds", "quantile"), []);
  });

  test("of several parts of a process is their sum, or their minimum", async () => {
    const metrics = new CollectedMetrics();
    for (const value of [2, 3])
      metrics.gauge("muster_event_loop_delay_seconds", { quantile: "0.5" }, () => value);
    for (const value of [1, 0, 1]) metrics.gauge("muster_ready", {}, async () => value);
    const scraped = await metrics.read();
    assert.equal(scraped.total("muster_event_loop_delay_seconds"), 5);
    assert.equal(scraped.total("muster_ready"), 0);
  });

  test("that fails or never arrives is missing, and nothing else is", async () => {
    const metrics = new CollectedMetrics();
    let calls = 0;
    metrics.gauge("muster_event_loop_delay_seconds", { quantile: "0.5" }, () => {
      calls++;
      return never();
    });
    metrics.gauge("muster_event_loop_delay_seconds", { quantile: "0.99" }, () =>
      Promise.reject(new Error("gone")),
    );
    metrics.gauge("muster_ready", {}, () => {
      throw new Error("gone");
    });
    metrics.gauge("muster_ready", {}, () => 1);
    metrics.gauge("muster_build_info", { version: "1", commit: "c", process: "auth" }, () => 1);
    const scrapes = await Promise.all([metrics.read(), metrics.read()]);
    scrapes.push(await metrics.read());
    for (const scraped of scrapes) {
      assert.deepEqual(scraped.values("muster_event_loop_delay_seconds", "quantile"), []);
      assert.equal(scraped.total("muster_ready"), 0, "a part that does not respond is not ready");
      assert.equal(scraped.total("muster_build_info"), 1);
    }
    assert.equal(calls, 1, "a read that hangs is not repeated");
  });
});
