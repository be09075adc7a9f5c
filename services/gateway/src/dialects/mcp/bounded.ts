import { parseInSlices } from "@muster/large-data";

const maxBytes = 64 * 1024;

/** Models read results whole: a longer one loses its oldest messages, or else its end, and says so. */
export async function bounded(json: string): Promise<string> {
  const bytes = Buffer.byteLength(json);
  if (bytes <= maxBytes) return json;
  const value: { messages?: unknown } = await parseInSlices(json);
  if (Array.isArray(value?.messages)) {
    const { messages, ...rest } = value;
    const latest = latestOf(messages, maxBytes - Buffer.byteLength(JSON.stringify(rest)) - 200);
    const omitted = messages.length - latest.length;
    const note = `${omitted} older messages are left out; the API has all of them.`;
    if (latest.length > 0) return JSON.stringify({ ...rest, note, messages: latest });
  }
  const cut = Buffer.from(json).subarray(0, maxBytes).toString();
  return `${cut}\n\n[Cut after ${maxBytes} of ${bytes} bytes. Ask for less with limit, or for a single entry by its id.]`;
}

function latestOf(messages: readonly unknown[], maxLength: number): readonly unknown[] {
  let left = maxLength;
  const first = messages.findLastIndex((message) => {
    left -= Buffer.byteLength(JSON.stringify(message)) + 1;
    return left < 0;
  });
  return messages.slice(first + 1);
}
