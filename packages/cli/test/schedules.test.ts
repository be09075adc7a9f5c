import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster schedules", () => {
  const scope = suiteScope();
  let workplace: Workplace;
  beforeAll(async () => {
    workplace = await startWorkplace(scope);
  });

  async function outputOf(...args: string[]): Promise<string> {
    const { code, out, err } = await workplace.run(args);
    assert.equal(code, 0, err);
    return out;
  }

  test("a schedule runs a real agent at its time and by hand, and is listed, changed, paused, resumed and deleted", async () => {
    await outputOf("workforce", "hire", "log-analyst", "--name", "Lou", "--quiet");
    const schedules = (...args: string[]) => outputOf("schedules", ...args);
    const at = new Date(Date.now() + 1_000).toISOString();
    const created = await schedules("create", "Lou", "Which failed?", "--name", "Once", "--at", at);
    assert.match(created, /^Created once \(sch_\w+\)\. Its next run: 20.*Z\.\n/);
    const fired = () => schedules("runs", "Lou", "once");
    await until("its thread has ended", async () => / fired +thr_\w+ +succeeded/.test(await fired()));
    const [threadId = ""] = /thr_\w+/.exec(await fired()) ?? [];
    assert.match(await outputOf("workforce", "show", "Lou", threadId), /Started by the schedule sch_\w+\n/);
    assert.match(await schedules("list", "Lou"), /once .* ended +succeeded/);

    const times = ["--cron", "0 9 * * 1-5", "--timezone", "Europe/Berlin", "--jitter", "30s"];
    await schedules("create", "Lou", "Report.", "--name", "Morning report", ...times);
    assert.match(await schedules("run", "Lou", "morning-report"), /^Started thr_\w+\.\n$/);
    assert.equal(await schedules("pause", "Lou", "morning-report"), "morning-report is paused.\n");
    assert.match(
      await schedules("resume", "Lou", "morning-report"),
      /^morning-report runs again\. Its next run: 20/,
    );
    assert.equal(
      await schedules("update", "Lou", "morning-report", "--cron", "30 8 * * *"),
      "morning-report runs at 30 8 * * * Europe/Berlin.\n",
    );
    const shown = await schedules("show", "Lou", "morning-report");
    assert.equal(shown.match(/^Next run: .*:30:\d\d\.\d{3}Z$/gm)?.length, 5, shown);
    assert.match(shown, /^Last run: .* fired thr_\w+$/m);
    assert.equal(await schedules("delete", "Lou", "once", "--yes"), "Deleted once.\n");
    const refused = await workplace.run([
      ...["schedules", "create", "Lou", "Report.", "--name", "Never", "--timezone", "UTC"],
      ...["--cron", "0 0 31 2 *"],
    ]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.err, /at character 5: day 31 does not occur in month 2/);
  });
});
