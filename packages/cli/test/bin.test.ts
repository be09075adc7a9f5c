import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join, relative, resolve } from "node:path";
import { programEnvironment } from "@muster/testing";
import { test } from "vitest";
import { helper, makeFolder, writeFiles } from "./support/index.ts";
import { startWorkplace } from "./support/workplace.ts";

const bin = resolve(import.meta.dirname, "../bin/muster.mjs");
const root = resolve(import.meta.dirname, "../../..");

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function execute(file: string, args: string[], cwd: string, env: Record<string, string>): Promise<Ended> {
  const { promise, resolve: end } = Promise.withResolvers<Ended>();
  const child = execFile(file, args, { cwd, env: { ...programEnvironment(), ...env } }, (_, out, err) =>
    end({ code: child.exitCode, out, err }),
  );
  child.stdin?.end();
  return promise;
}

test("bin/muster.mjs works from any folder and exits with the code of its command", async (t) => {
  const { env } = await startWorkplace(t);
  const cwd = await makeFolder(t, helper);
  const pushed = await execute(process.execPath, [bin, "agents", "push", "--yes"], cwd, env);
  assert.deepEqual([pushed.code, pushed.err], [0, ""]);
  const on = (...args: string[]) => execute(bin, args, cwd, env);
  const [listed, wrong] = await Promise.all([on("agents", "list", "--json"), on("agents", "pull")]);
  assert.equal(JSON.parse(listed.out).agents[0].slug, "helper");
  assert.deepEqual([wrong.code, wrong.out], [2, ""]);
});

test("bin/muster.mjs as an npm script resolves paths against the user's folder", async (t) => {
  const cwd = await makeFolder(t, helper);
  const env = { npm_lifecycle_event: "muster", INIT_CWD: cwd };
  const { code, out } = await execute(process.execPath, [bin, "agents", "validate"], root, env);
  assert.deepEqual([code, out], [0, ".: no problems\n"]);
});

test("a usage error names the command that the user typed, in the folder where npm was called", async (t) => {
  const cwd = await makeFolder(t, helper);
  const env = { npm_lifecycle_event: "muster", npm_command: "run-script", INIT_CWD: cwd };
  const { code, err } = await execute(process.execPath, [bin, "nonsense"], root, env);
  assert.equal(code, 2);
  assert.match(err, /unknown command 'nonsense'/);
  const program = `npm --prefix ${relative(cwd, root)} run -s muster --`;
  assert.ok(err.endsWith(`Run "${program} --help" for usage.\n`), err);
});

test("bin/muster.mjs on an older Node runs the installed Node 24 with the same arguments and exit code", async (t) => {
  const cwd = await makeFolder(t, helper);
  // Node reads this file first; the rest is the real program.
  await writeFiles(cwd, {
    "old.mjs": 'Object.defineProperty(process.versions, "node", { value: "20.19.0" });\n',
  });
  const run = (...args: string[]) =>
    execute(process.execPath, ["--import", join(cwd, "old.mjs"), bin, ...args], cwd, {});
  const [fine, failed] = await Promise.all([
    run("agents", "validate"),
    run("agents", "validate", "no where; echo"),
  ]);
  assert.deepEqual(fine, { code: 0, out: ".: no problems\n", err: "" });
  assert.equal(failed.code, 1);
});

test("muster --version, --help and agents list load no compiler, no model catalog and no library of folders", async (t) => {
  const cwd = await makeFolder(t, {
    "report.mjs": `import { registerHooks } from "node:module";
registerHooks({ load: (url, context, next) => (process.stderr.write(url + "\\n"), next(url, context)) });
`,
  });
  const heavy =
    /packages\/(?:catalog|language)\/src\/(?!values\/json)|node_modules\/(?:yaml|jsonc-parser|diff)\//;
  const loaded = async (...args: string[]) => {
    const env = { MUSTER_URL: "http://127.0.0.1:9", MUSTER_API_KEY: "svc_sk_x", MUSTER_SOURCES: "1" };
    const { err } = await execute(
      process.execPath,
      ["--import", join(cwd, "report.mjs"), bin, ...args],
      cwd,
      env,
    );
    assert.match(err, /packages\/cli\/src\/program\.ts/);
    return err.split("\n").filter((url) => heavy.test(url));
  };
  // `--version` loads a part of the modules that `--help` loads.
  for (const args of [["--help"], ["agents", "list"]])
    assert.deepEqual(await loaded(...args), [], args.join(" "));
  assert.notDeepEqual(await loaded("agents", "validate"), []);
});

test("bin/muster.mjs reports no error if the reader of its output leaves early", async (t) => {
  const cwd = await makeFolder(t, helper);
  const child = spawn(bin, ["--help"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  await once(child, "close");
  assert.deepEqual([child.exitCode, err], [0, ""]);
});
