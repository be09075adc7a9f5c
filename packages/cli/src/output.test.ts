import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { serve } from "@muster/testing";
import { describe, test } from "vitest";
import { helper, makeFolder } from "../test/support/folders.ts";
import { muster, StartedMuster } from "../test/support/muster.ts";

const settings = (url: string) => ({ env: { MUSTER_URL: url, MUSTER_API_KEY: "svc_sk_test" } });

describe("output of the command", () => {
  test("a closed output pipe is not a failure, but a full disk is", async (t) => {
    const cwd = await makeFolder(t, helper);
    const broken = (code: string) =>
      new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
    const gone = await muster(["agents", "validate"], { cwd, stdout: broken("EPIPE") });
    assert.deepEqual([gone.code, gone.err], [0, ""]);
    const full = await muster(["agents", "validate"], { cwd, stdout: broken("ENOSPC") });
    assert.equal(full.code, 1);
    assert.match(full.err, /Cannot write the output: ENOSPC/);
  });

  test("text from a server cannot control the terminal, and reaches a pipe unchanged", async (t) => {
    const text = "\u001b]0;title\u0007\u001b[2Jred\u001b[31m\rover\u009b";
    const url = await serve(t, (_, reply) =>
      reply.writeHead(400).end(JSON.stringify({ error: text, code: "X" })),
    );
    const piped = await muster(["agents", "list"], settings(url));
    assert.ok(piped.err.includes(text));
    const shown = await new StartedMuster(["agents", "list"], { ...settings(url), terminal: true }).finished;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
    assert.doesNotMatch(shown.err, /\u001b(?!\[[\d;]*m)|[\u0007\r\u009b]/);
  });

  test("only terminals get colours, unless NO_COLOR or FORCE_COLOR is set", async (t) => {
    const cwd = await makeFolder(t, { ...helper, "prompts/unused.md": "" });
    const coloured = async (terminal: boolean, env: Record<string, string>) =>
      (await new StartedMuster(["agents", "validate"], { cwd, terminal, env }).finished).out.includes(
        "\u001b[33m",
      );
    assert.equal(await coloured(true, {}), true);
    assert.equal(await coloured(true, { NO_COLOR: "1" }), false);
    assert.equal(await coloured(true, { TERM: "dumb" }), false);
    assert.equal(await coloured(false, {}), false);
    assert.equal(await coloured(false, { FORCE_COLOR: "1" }), true);
    assert.equal(await coloured(true, { FORCE_COLOR: "0" }), false);
  });
});
