import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startEmbeddedStore } from "@muster/embedded-store";
import { silentLogger, startProblem } from "@muster/service";
import { openStore } from "@muster/store";
import { temporaryDirectory } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { readLocalConfig } from "../src/config.ts";
import { createLocal, type Local } from "../src/local.ts";
import { TestProcess } from "./support/process.ts";

interface Problem {
  /** Settings besides a free port and an empty data folder, made for this test. */
  env?(t: TestContext, directory: string): Promise<Record<string, string>> | Record<string, string>;
  /** The sentence after "Muster cannot start: "; `DIR` is the data folder, `PORT` a port in use. */
  sentence: string | RegExp;
}

const problems: Record<string, Problem> = {
  "a port in use": {
    env: async (t) => ({ PORT: String(await takenPort(t)) }),
    sentence:
      /^PORT \d+ is already in use on 127\.0\.0\.1; stop the program that uses it, or choose another port, such as PORT=\d+$/,
  },
  "a port that is not a number": {
    env: () => ({ PORT: "eighty" }),
    sentence: 'PORT must be a whole number from 0 to 65535, not "eighty"',
  },
  "an address of another machine": {
    env: () => ({ HOST: "192.0.2.1" }),
    sentence:
      "HOST 192.0.2.1 is not an address of this machine; use 127.0.0.1, or 0.0.0.0 for all of its addresses",
  },
  "a host that does not exist": {
    env: () => ({ HOST: "nowhere.invalid" }),
    sentence:
      "HOST nowhere.invalid is not an address of this machine; use 127.0.0.1, or 0.0.0.0 for all of its addresses",
  },
  "a data folder that is a file": {
    env: async (_t, directory) => {
      await writeFile(join(directory, "file"), "");
      return { DATA_DIR: join(directory, "file") };
    },
    sentence:
      /^the store cannot use DIR\/file\/store \(set by DATA_DIR\): \S+ is not a folder; choose another one$/,
  },
  "a data folder that this system does not let anyone create": {
    env: () => ({ DATA_DIR: "/dev/null/data" }),
    sentence:
      "the store cannot use /dev/null/data/store (set by DATA_DIR): /dev/null is not a folder; choose another one",
  },
  "a data folder of another server": {
    env: async (t, directory) => {
      await new TestProcess(t, { PORT: "0", DATA_DIR: directory }).printed(/running at/);
      return {};
    },
    sentence:
      "the store cannot use DIR/store (set by DATA_DIR): another server is using it; stop that one first",
  },
  "a data file that is not a database": {
    env: (_t, directory) => dataFile(directory, (path) => writeFile(path, "not a database ".repeat(1_000))),
    sentence:
      "the store cannot use DIR/store (set by DATA_DIR): its file store.sqlite is not a database, or is damaged; restore it from a backup, or choose another folder",
  },
  "a data file of another program": {
    env: (_t, directory) =>
      dataFile(directory, async (path) => {
        const other = new DatabaseSync(path);
        other.exec("CREATE TABLE contacts (name TEXT)");
        other.close();
      }),
    sentence:
      "the store cannot use DIR/store (set by DATA_DIR): its file store.sqlite belongs to another program; choose another folder",
  },
  "a data file of a later version": {
    env: (_t, directory) =>
      dataFile(directory, async (path) => {
        const later = new DatabaseSync(path);
        later.exec("CREATE TABLE things (name TEXT); PRAGMA user_version=99");
        later.close();
      }),
    sentence:
      "the store cannot use DIR/store (set by DATA_DIR): it has format 99, but this version of Muster reads format 1; use a later version, or choose another folder",
  },
  "a data file that is a folder": {
    env: (_t, directory) => dataFile(directory, (path) => mkdir(path)),
    sentence:
      "the store cannot use DIR/store (set by DATA_DIR): its file store.sqlite is a folder; choose another folder for the data",
  },
  "an unknown log level": {
    env: () => ({ LOG_LEVEL: "loud" }),
    sentence: 'LOG_LEVEL must be one of debug, info, warn, error, silent, not "loud"',
  },
  "an admin key that is too short": {
    env: () => ({ MUSTER_ADMIN_KEY: "hush" }),
    sentence: /^MUSTER_ADMIN_KEY must be svc_sk_(?!.*hush)/,
  },
  "an address of MongoDB without its scheme": {
    env: () => ({ MONGODB_URI: "user:hush@db.example:27017" }),
    sentence: "MONGODB_URI must look like mongodb://host:27017/?replicaSet=name",
  },
  "an address of MongoDB that the driver refuses": {
    env: () => ({ MONGODB_URI: "mongodb://user:hush@db.example:99999999/" }),
    sentence:
      "MONGODB_URI is not a valid connection string; check its host, port and options, and write special characters of the password as %XX",
  },
  "a MongoDB server that cannot be reached": {
    env: () => ({ MONGODB_URI: "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50" }),
    sentence:
      /^the document store at 127\.0\.0\.1:1 cannot be reached \(.*\); check that it is running and that MONGODB_URI has its address and the right credentials$/,
  },
  "an address of NATS without its scheme": {
    env: () => ({ NATS_URL: "127.0.0.1:4222" }),
    sentence: "NATS_URL must look like nats://host:4222 or tls://host:4222",
  },
  "a NATS server that cannot be reached": {
    env: () => ({ NATS_URL: "nats://127.0.0.1:1" }),
    sentence:
      /^NATS at 127\.0\.0\.1:1 cannot be reached: .*; check that it is running and that NATS_URL has its address and the right credentials$/,
  },
  "a proxy network that is none": {
    env: () => ({ TRUSTED_PROXIES: "everyone" }),
    sentence: 'TRUSTED_PROXIES must be networks such as 10.0.0.0/8, separated by commas, not "everyone"',
  },
  "an endpoint of a provider that is not a URL": {
    env: () => ({ OPENAI_API_KEY: "hush", OPENAI_BASE_URL: "nowhere" }),
    sentence: /^OPENAI_BASE_URL must be /,
  },
};

/** `npm run test:long` starts a process for each. */
const isLong = process.env.LONG_RUN !== undefined;
const inProcesses = ["a port in use", "a data file that is not a database", "an unknown log level"];

for (const [problem, { env, sentence }] of Object.entries(problems)) {
  test(`a start with ${problem} prints one sentence that names the setting and exits with 1`, async (t) => {
    const directory = await temporaryDirectory(t);
    const settings = { PORT: "0", DATA_DIR: directory, ...(await env?.(t, directory)) };
    const errors = await (inProcesses.includes(problem) || isLong ? errorsOfProcess : errorsOfStart)(
      t,
      settings,
    );
    const [line = "", ...more] = errors.replaceAll(directory, "DIR").split("\n");
    assert.deepEqual(more, [""], errors);
    const said = /^Muster cannot start: (.*)\.$/.exec(line)?.[1] ?? line;
    if (typeof sentence === "string") assert.equal(said, sentence);
    else assert.match(said, sentence);
    assert.doesNotMatch(said, /[.!?] [A-Z]/, "there is one sentence");
  });
}

test("a service that cannot start in the background ends the process with its reason", async (t) => {
  const directory = await temporaryDirectory(t);
  const store = await startEmbeddedStore({ directory: join(directory, "store") });
  const { db, close } = await openStore({ uri: store.uri, database: "muster_workforce", log: silentLogger });
  await db.createIndex("threads", { other: 1 }, { name: "by_agent" });
  await close();
  await store.stop();
  const muster = new TestProcess(t, { PORT: "0", DATA_DIR: directory });
  await muster.printed(/running at/);
  assert.equal(await muster.exitCode(), 1, muster.output);
  assert.match(muster.errors, /^Muster cannot continue: .* exists with another shape.*\n$/);
});

async function errorsOfProcess(t: TestContext, env: Record<string, string>): Promise<string> {
  const muster = new TestProcess(t, env);
  assert.equal(await muster.exitCode(), 1, muster.output);
  assert.doesNotMatch(muster.output, /\n\s+at /, "the user sees no stack trace");
  return muster.errors;
}

/** The standard error of such a process, without starting one. */
async function errorsOfStart(_t: TestContext, env: Record<string, string>): Promise<string> {
  let muster: Local | undefined;
  try {
    muster = createLocal(readLocalConfig(env), silentLogger, (error) => assert.fail(error));
    await muster.start();
  } catch (error) {
    return startProblem("Muster", error);
  } finally {
    await muster?.stop();
  }
  return assert.fail("it has started");
}

async function takenPort(t: TestContext): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.onTestFinished(() => {
    taken.close();
  });
  const address = taken.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function dataFile(directory: string, make: (path: string) => Promise<unknown>) {
  await mkdir(join(directory, "store"));
  await make(join(directory, "store", "store.sqlite"));
  return {};
}
