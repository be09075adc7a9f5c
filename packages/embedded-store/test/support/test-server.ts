import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@muster/testing";
import { type Document, deserialize, serialize } from "bson";
import { type Collection, type Db, MongoClient } from "mongodb";
import { afterAll, type TestContext } from "vitest";
import { startEmbeddedStore } from "../../src/start.ts";
import { opMsg } from "../../src/wire/op-msg.ts";

/* Helpers for this package's tests. */

/** Documents as the tests write and read them. */
export type AnyDocument = Document & { _id: string | number };

export interface TestServer {
  readonly uri: string;
  readonly client: MongoClient;
  readonly log: string[];
  /** A new database. */
  database(): Db;
  /** A new collection in a new database. */
  collection(): Collection<AnyDocument>;
}

let databases = 0;

/** One server for the tests of a file, stopped after them. Call it at the top level of the file. */
export async function startTestServer(sweepIntervalMs = 60_000): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), "embedded-store-"));
  const log: string[] = [];
  const store = await startEmbeddedStore({ directory, sweepIntervalMs, log: (line) => log.push(line) });
  const client = new MongoClient(store.uri, { serverSelectionTimeoutMS: 2000 });
  afterAll(async () => {
    await client.close();
    await store.stop();
    await rm(directory, { recursive: true, force: true });
  });
  const database = () => client.db(`test_${databases++}`);
  return { uri: store.uri, client, log, database, collection: () => database().collection("items") };
}

/** A raw connection, closed after the test. */
export function connectRaw(t: TestContext, uri: string): RawConnection {
  const connection = new RawConnection(uri);
  t.onTestFinished(() => {
    connection.socket.destroy();
  });
  return connection;
}

/** A raw connection for messages that a driver would never send. */
export class RawConnection {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #nextId = 1;

  constructor(uri: string) {
    const { hostname, port } = new URL(uri);
    const path = decodeURIComponent(hostname);
    this.socket = path.startsWith("/") ? connect(path) : connect(Number(port), hostname);
    this.socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    // A server that closes the connection may reset it.
    this.socket.on("error", () => {});
  }

  /** Sends a command and waits for the reply. */
  async command(body: Document): Promise<Document> {
    this.socket.write(opMsg(serialize(body), this.#nextId++));
    return await this.reply();
  }

  /** Waits for the next reply. */
  async reply(): Promise<Document> {
    await until(() => this.#received.length >= 4 && this.#received.length >= this.#received.readInt32LE(0));
    const length = this.#received.readInt32LE(0);
    const reply = deserialize(this.#received.subarray(21, length));
    this.#received = this.#received.subarray(length);
    return reply;
  }

  /** Whether the server has closed the connection. */
  get closed(): boolean {
    return this.socket.destroyed || this.socket.readableEnded;
  }
}
