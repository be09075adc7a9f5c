import type { Socket } from "node:net";
import { ChannelCredentials, credentials, type experimental } from "@grpc/grpc-js";

/** Plain text, as with grpc-js's insecure credentials. They are also the only place where grpc-js shows its sockets. */
export class WatchedCredentials extends ChannelCredentials {
  readonly #plain = credentials.createInsecure();
  readonly #onConnection: (socket: Socket) => void;

  constructor(onConnection: (socket: Socket) => void) {
    super();
    this.#onConnection = onConnection;
  }

  override _isSecure(): boolean {
    return false;
  }

  /** Channels with equal credentials would share connections, which then only one of them watches. */
  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(
    ...args: Parameters<ChannelCredentials["_createSecureConnector"]>
  ): experimental.SecureConnector {
    const plain = this.#plain._createSecureConnector(...args);
    return {
      connect: (socket) => {
        this.#onConnection(socket);
        return plain.connect(socket);
      },
      waitForReady: () => plain.waitForReady(),
      getCallCredentials: () => plain.getCallCredentials(),
      destroy: () => plain.destroy(),
    };
  }
}
