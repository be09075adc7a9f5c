import { Code, ConnectError } from "@connectrpc/connect";

/**
 * The request of a server-streaming call as the stream that Connect's transports accept. Connect's own helper is a
 * transpiled async generator, which took 7 % of the main thread in a burst of triggers.
 */
export class OnlyMessage<T> implements AsyncIterable<T> {
  readonly message: T;

  constructor(message: T) {
    this.message = message;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    yield this.message;
  }
}

/** The only request of a server-streaming call. */
export async function onlyMessage<T>(input: AsyncIterable<T>): Promise<T> {
  if (input instanceof OnlyMessage) return input.message;
  const iterator = input[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new ConnectError("The call has no request message.", Code.InvalidArgument);
  return first.value;
}

export function notCarried(): ConnectError {
  return new ConnectError("Streams of requests are not supported.", Code.Unimplemented);
}
