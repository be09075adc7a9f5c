import { Format as FormatMessage } from "@muster/proto/agents";
import type { Format } from "../index.ts";

const messages: Readonly<Record<Format, FormatMessage>> = {
  interactive: FormatMessage.INTERACTIVE,
  worker: FormatMessage.WORKER,
};

const formats = new Map(
  Object.keys(messages)
    .filter(isFormat)
    .map((format) => [messages[format], format]),
);

export function isFormat(text: string): text is Format {
  return Object.hasOwn(messages, text);
}

export function formatMessage(format: Format): FormatMessage {
  return messages[format];
}

/** Undefined for UNSPECIFIED, for values of a newer peer, and where no format was sent. */
export function formatOf(message: FormatMessage | undefined): Format | undefined {
  return message === undefined ? undefined : formats.get(message);
}
