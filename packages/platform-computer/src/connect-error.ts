/** The computer cannot connect, and trying again would not help. The message is a sentence for its user. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
}
