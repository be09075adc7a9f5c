import { hash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { StoredToken, TokenStore } from "@muster/mcp-client";
import { type Clock, createSecretBox, type NewId, type SealedText, Secret } from "@muster/service";
import { type CollectionIndexes, type Lease, notHeld, unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";

/**
 * A token of an MCP server's credentials, which all instances use. Its id and the key that encrypts it follow from the
 * credentials, which are secrets of one project: no other project can name or read it.
 */
interface McpTokenDocument {
  _id: string;
  /** Absent: it is being requested for the first time. */
  token?: SealedText;
  /** The instance that renews it. */
  lease: Lease | null;
  expiresAt: Date;
}

const collectionName = "mcp_tokens";

export const mcpTokenIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** A token is asked for again after this time, even if its issuer allows a longer life. */
const keptMs = 24 * 3_600_000;
/** An authorization server that takes longer is asked by another instance, too. Both answers can be used. */
const leaseMs = 30_000;
const pollEveryMs = 100;

interface Options {
  clock: Clock;
  newId: NewId;
}

export function createMcpTokenStore(db: Db, { clock, newId }: Options): TokenStore {
  const tokens: Collection<McpTokenDocument> = db.collection(collectionName);
  const expiresAt = () => new Date(clock.now() + keptMs);

  const take = async (_id: string, holder: string) => {
    const nowMs = clock.now();
    const lease = { holder, until: new Date(nowMs + leaseMs) };
    const changes = { $set: { lease, expiresAt: expiresAt() } };
    // While another instance has the lease, no document matches, and the insert finds the id taken.
    return unlessDuplicate(tokens.updateOne({ _id, ...notHeld(new Date(nowMs)) }, changes, { upsert: true }));
  };

  return {
    get: async (key) => {
      const { id, box } = sealedBy(key);
      const found = await tokens.findOne({ _id: id });
      const opened = found?.token && box.open(found.token, [id]);
      return opened?.ok ? read(opened.text) : undefined;
    },
    put: async (key, { accessToken, ...token }) => {
      const { id, box } = sealedBy(key);
      const text = JSON.stringify({ ...token, accessToken: accessToken.reveal() });
      const sealed = box.seal?.(text, [id]);
      if (sealed === undefined) throw new Error("A box with a key seals.");
      const changes = { $set: { token: sealed, expiresAt: expiresAt() }, $setOnInsert: { lease: null } };
      await tokens.updateOne({ _id: id }, changes, { upsert: true });
    },
    lock: async (key, work, signal) => {
      const { id } = sealedBy(key);
      const holder = newId("run");
      while (!(await take(id, holder))) await setTimeout(pollEveryMs, undefined, { signal });
      try {
        return await work();
      } finally {
        await tokens.updateOne({ _id: id, "lease.holder": holder }, { $set: { lease: null } });
      }
    },
  };
}

/** `key` is a hash of the credentials, and is never stored. */
function sealedBy(key: string) {
  const derived = (use: string) => hash("sha256", `muster mcp token ${use} ${key}`, "hex");
  return { id: derived("id"), box: createSecretBox([new Secret(derived("key"))]) };
}

function read(text: string): StoredToken {
  const { accessToken, ...token } = JSON.parse(text);
  return { ...token, accessToken: new Secret(accessToken) };
}
