import { Code, ConnectError } from "@connectrpc/connect";

/** The one request of a server-streaming call. Connect hands it over as a stream. */
export async function onlyMessage<T>(input: AsyncIterable<T>): Promise<T> {
  const iterator = input[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new ConnectError("The call has no request message.", Code.InvalidArgument);
  return first.value;
}

export function notCarried(): ConnectError {
  return new ConnectError("Streams of requests are not supported.", Code.Unimplemented);
}
