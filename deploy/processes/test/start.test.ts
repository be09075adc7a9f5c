import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Program, type ServiceProcess, spawnNats, spawnProgram } from "./support/topology.ts";

const nobody = "127.0.0.1:1";
const settings = {
  MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef",
  AUTH_ADDRESSES: nobody,
  AGENTS_ADDRESSES: nobody,
  SESSIONS_ADDRESSES: nobody,
  WORKFORCE_ADDRESSES: nobody,
  MUSTER_SECRETS_KEY: "0".repeat(64),
};

// Accepts connections and never responds, like a firewall or a hung server. Its port is also in use.
const silent = createServer((socket) => socket.resume().on("error", () => undefined)).listen(0, "127.0.0.1");
let silentPort = "";
let nats: ServiceProcess;
let natsUrl = "";
let directory = "";

beforeAll(async () => {
  if (!silent.listening) await once(silent, "listening");
  const address = silent.address();
  silentPort = String(typeof address === "object" ? address?.port : "");
  directory = await mkdtemp(join(tmpdir(), "muster-start-"));
  nats = spawnNats(directory);
  natsUrl = `nats://${await nats.printed(/client connections on (\S+)/)}`;
});

afterAll(async () => {
  nats.kill("SIGKILL");
  await nats.ended();
  silent.close();
  await rm(directory, { recursive: true, force: true });
});

const foldersIn = (path: string) => ({ FILES_DIRECTORY: join(path, "files"), DATA_DIR: join(path, "data") });

/** Checks that it exits with 1 by itself and names each setting in one sentence on one line, without a stack trace. */
async function cannotStart(
  program: Program,
  env: Record<string, string>,
  ...reasons: RegExp[]
): Promise<void> {
  const process = spawnProgram(program, env);
  assert.equal(await process.ended(), 1, process.output);
  const lines = process.output.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  assert.equal(lines.length, reasons.length, process.output);
  for (const [index, reason] of reasons.entries()) {
    assert.match(lines[index] ?? "", /\.$/);
    assert.doesNotMatch(lines[index] ?? "", /[.!?] [A-Z]/, "there is one sentence");
    assert.match(lines[index] ?? "", new RegExp(`^${program} cannot start: `));
    assert.match(lines[index] ?? "", reason);
  }
}

/** `npm run test:long` starts each of the programs that have the setting in common, and the suite the first. */
function some<T>(...programs: [T, ...T[]]): T[] {
  return process.env.LONG_RUN === undefined ? programs.slice(0, 1) : programs;
}

describe("processes that cannot start", () => {
  for (const [program, ...missing] of some<[Program, ...string[]]>(
    [
      ...(["workforce", "MUSTER_PRINCIPAL_SECRET", "MONGODB_URI", "NATS_URL"] as const),
      ...["AGENTS_ADDRESSES", "AUTH_ADDRESSES", "SESSIONS_ADDRESSES"],
    ],
    ["auth", "MUSTER_PRINCIPAL_SECRET", "MONGODB_URI", "NATS_URL"],
    ["agents", "MUSTER_PRINCIPAL_SECRET", "MONGODB_URI"],
    ["sessions", "MUSTER_PRINCIPAL_SECRET", "MONGODB_URI", "NATS_URL", "AGENTS_ADDRESSES", "AUTH_ADDRESSES"],
    ["recorder", "MUSTER_PRINCIPAL_SECRET", "FILES_DIRECTORY", "NATS_URL", "WORKFORCE_ADDRESSES"],
    [
      ...(["gateway", "MUSTER_PRINCIPAL_SECRET", "NATS_URL"] as const),
      ...["AUTH_ADDRESSES", "AGENTS_ADDRESSES", "SESSIONS_ADDRESSES", "WORKFORCE_ADDRESSES"],
    ],
  )) {
    test.concurrent(`the ${program} process without settings reports all that it needs, each in one line, and exits with 1`, () =>
      cannotStart(program, {}, ...missing.map((variable) => new RegExp(`: ${variable} must be set\\.$`))));
  }

  for (const program of some<Program>("auth", "agents", "sessions", "workforce")) {
    test.concurrent(`the ${program} process without a store reports the reason in one line and exits with 1`, () =>
      cannotStart(
        program,
        { ...settings, ...foldersIn(directory), MONGODB_URI: `mongodb://${nobody}`, NATS_URL: natsUrl },
        /store at 127\.0\.0\.1:1 cannot be reached .* MONGODB_URI/,
      ));
  }

  for (const program of some<Program>("gateway", "auth", "sessions", "workforce", "recorder")) {
    test.concurrent(`the ${program} process without NATS reports the reason in one line and exits with 1`, () =>
      cannotStart(
        program,
        {
          ...settings,
          ...foldersIn(directory),
          MONGODB_URI: `mongodb://${nobody}`,
          NATS_URL: `nats://${nobody}`,
        },
        /NATS at 127\.0\.0\.1:1 cannot be reached.* NATS_URL/,
      ));
  }

  for (const program of some<Program>("sessions", "workforce", "gateway")) {
    test.concurrent(`the ${program} process with a folder for files and no key to sign their addresses reports both settings`, () =>
      cannotStart(
        program,
        {
          ...settings,
          FILES_DIRECTORY: directory,
          MUSTER_SECRETS_KEY: "",
          MONGODB_URI: `mongodb://${nobody}`,
          NATS_URL: natsUrl,
        },
        /MUSTER_SECRETS_KEY must be set if FILES_DIRECTORY is/,
      ));
  }

  for (const [program, setting] of some<[Program, string]>(
    ["workforce", "DATA_DIR"],
    ["gateway", "FILES_DIRECTORY"],
    ["workforce", "FILES_DIRECTORY"],
    ["sessions", "FILES_DIRECTORY"],
    ["recorder", "FILES_DIRECTORY"],
    ["recorder", "TMPDIR"],
  )) {
    test.concurrent(`the ${program} process with a ${setting} that it cannot write reports the setting and exits with 1`, () => {
      const env = {
        ...settings,
        ...foldersIn(directory),
        MONGODB_URI: `mongodb://${nobody}`,
        NATS_URL: natsUrl,
      };
      const reason = new RegExp(
        `${setting} /dev/null/folder\\S* cannot be used: a part of the path is not a folder;`,
      );
      return cannotStart(program, { ...env, [setting]: "/dev/null/folder" }, reason);
    });
  }

  test.concurrent("the agents process with a store that never responds reports the reason and exits with 1", () =>
    cannotStart(
      "agents",
      { ...settings, MONGODB_URI: `mongodb://127.0.0.1:${silentPort}` },
      /cannot be reached .*MONGODB_URI/,
    ));

  test.concurrent("the gateway process with a NATS server that never responds reports the reason and exits with 1", () =>
    cannotStart(
      "gateway",
      { ...settings, NATS_URL: `nats://127.0.0.1:${silentPort}` },
      /cannot be reached: TIMEOUT.* NATS_URL/,
    ));

  test.concurrent("the agents process on a port in use reports the reason and exits with 1", async () => {
    const store = spawnProgram("embedded-store", {
      EMBEDDED_STORE_DIRECTORY: join(directory, "store-of-agents"),
    });
    try {
      const uri = await store.printed(/mongodb:\S+/);
      await cannotStart(
        "agents",
        { ...settings, MONGODB_URI: uri, AGENTS_HOST: "127.0.0.1", AGENTS_PORT: silentPort },
        /AGENTS_PORT \d+ is already in use on 127\.0\.0\.1; .* such as AGENTS_PORT=\d+/,
      );
    } finally {
      store.kill("SIGKILL");
      await store.ended();
    }
  });

  test.concurrent("the embedded store without a folder reports the setting and exits with 1", () =>
    cannotStart("embedded-store", {}, /EMBEDDED_STORE_DIRECTORY must be set/));

  test.concurrent("the embedded store on a port in use reports the setting and exits with 1", () =>
    cannotStart(
      "embedded-store",
      { EMBEDDED_STORE_DIRECTORY: join(directory, "store"), PORT: silentPort },
      /PORT \d+ is already in use on 127\.0\.0\.1/,
    ));
});
