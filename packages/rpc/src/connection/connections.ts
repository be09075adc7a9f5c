import { isIPv6, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

export interface ConnectionsOptions {
  /** Makes a call over the open connection to `host:port`. False if no response arrived in time. Must settle by itself. */
  ping(address: string): Promise<boolean>;
  /** A connection on which nothing has arrived for this long is pinged. */
  quietMs: number;
}

interface Watched {
  socket: Socket;
  bytesRead: number;
  lastHeardMs: number;
  isPinged: boolean;
}

/**
 * Finds broken connections of a channel, on which nothing arrives although they are open, and closes them. grpc-js's
 * own keepalive would also close every connection that its server asks to leave, with the calls that still run on it:
 * Node refuses pings on those (https://github.com/grpc/grpc-node/issues/3068). These are left to TCP's keepalive.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** The newest connection to each address: the one that gets calls. */
  readonly #watched = new Map<string, Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.quietMs / 2).unref();
  }

  add(socket: Socket): void {
    socket.setKeepAlive(true, this.#options.quietMs);
    const address = remoteOf(socket);
    if (address === undefined) return;
    const watched = { socket, bytesRead: 0, lastHeardMs: performance.now(), isPinged: false };
    this.#watched.set(address, watched);
    socket.once("close", () => {
      if (this.#watched.get(address) === watched) this.#watched.delete(address);
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    for (const [address, watched] of this.#watched) {
      if (hasHeard(watched)) watched.lastHeardMs = nowMs;
      else if (nowMs - watched.lastHeardMs >= this.#options.quietMs) void this.#ping(address, watched);
    }
  }

  async #ping(address: string, watched: Watched): Promise<void> {
    if (watched.isPinged) return;
    watched.isPinged = true;
    const responds = await this.#options.ping(address);
    watched.isPinged = false;
    if (responds) return;
    // If this process itself was blocked, the response is only read now.
    await nextTurn();
    if (!hasHeard(watched)) watched.socket.destroy();
  }
}

function hasHeard(watched: Watched): boolean {
  const { bytesRead } = watched.socket;
  const hasHeard = bytesRead !== watched.bytesRead;
  watched.bytesRead = bytesRead;
  return hasHeard;
}

/** The address as grpc-js writes it. */
function remoteOf({ remoteAddress, remotePort }: Socket): string | undefined {
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return `${isIPv6(remoteAddress) ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}
