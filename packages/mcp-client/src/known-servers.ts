import { createHash } from "node:crypto";
import type { PriorDiscovery } from "@modelcontextprotocol/client";
import type { Clock } from "@muster/service";
import type { McpServer, McpTool } from "./mcp-server.ts";
import { secretsOf } from "./server-headers.ts";

/** A server of the old era could be replaced unnoticed: it would still answer as before. */
const legacyVerdictMs = 24 * 3_600_000;
const maxServers = 1_000;
const maxBytes = 32 * 1024 * 1024;

interface Known {
  verdict?: PriorDiscovery;
  verdictUntilMs?: number;
  tools?: McpTool[];
  freshUntilMs?: number;
  /** The size of both as JSON. */
  bytes: number;
}

/** The negotiated eras and the listings of servers, each for its credential. Those used last are kept. */
export class KnownServers {
  readonly #byKey = new Map<string, Known>();
  readonly #clock: Clock;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  verdictOf(server: McpServer): PriorDiscovery | undefined {
    const { verdict, verdictUntilMs = 0 } = this.#byKey.get(keyOf(server)) ?? {};
    return this.#clock.monotonicMs() < verdictUntilMs ? verdict : undefined;
  }

  /** The last listing, while it is fresh or, with `isStaleFine`, of any age. */
  toolsOf(server: McpServer, isStaleFine = false): McpTool[] | undefined {
    const { tools, freshUntilMs = 0 } = this.#byKey.get(keyOf(server)) ?? {};
    return isStaleFine || this.#clock.monotonicMs() < freshUntilMs ? tools : undefined;
  }

  keepVerdict(server: McpServer, verdict: PriorDiscovery): void {
    const forMs = verdict.kind === "legacy" ? legacyVerdictMs : Number.POSITIVE_INFINITY;
    this.#keep(server, { verdict, verdictUntilMs: this.#clock.monotonicMs() + forMs });
  }

  keepTools(server: McpServer, tools: McpTool[], forMs: number): void {
    this.#keep(server, { tools, freshUntilMs: this.#clock.monotonicMs() + forMs });
  }

  forget(server: McpServer): void {
    this.#remove(keyOf(server));
  }

  #keep(server: McpServer, fields: Omit<Known, "bytes">): void {
    const key = keyOf(server);
    const known = { ...this.#byKey.get(key), ...fields };
    this.#remove(key);
    const bytes = JSON.stringify([known.verdict, known.tools]).length;
    this.#byKey.set(key, { ...known, bytes });
    this.#bytes += bytes;
    for (const [oldest] of this.#byKey) {
      if (this.#byKey.size <= maxServers && this.#bytes <= maxBytes) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#byKey.get(key)?.bytes ?? 0;
    this.#byKey.delete(key);
  }
}

function keyOf(server: McpServer): string {
  return hash([server, secretsOf(server)]);
}

/** Differs for any other server or credential, and reveals none. */
export function tokenKeyOf(server: McpServer): string {
  const { mcpServerId, url, auth } = server;
  return hash([mcpServerId, url, auth, secretsOf({ ...server, headers: {} })]);
}

function hash(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
