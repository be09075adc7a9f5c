import { type StoredMessage, settle, shownId, toUiMessages, type UiOptions } from "@muster/engine";
import { createFreshLinks, type LinkSigning } from "@muster/storage/files";

export interface ShowRequest extends Required<Pick<UiOptions, "view">> {
  /** JSON of consecutive lists of `StoredMessage`s. */
  texts: readonly string[];
  /** A dead holder left the turn unfinished that wrote the last of them. */
  isLeft?: boolean;
  /** The last message that users see may continue in later ones, so it is not shown yet. */
  isContinued?: boolean;
  /** Shows only the newest. */
  limit?: number;
  /** Renews the download URLs of the session's files. Absent: they stay as sent. */
  links?: LinkSigning | undefined;
}

export type Shown = ReturnType<typeof showSession>;

/** A turn that a dead holder left unfinished appears as the next trigger would find it. */
export function showSession({ texts, view, isLeft, isContinued, limit, links }: ShowRequest) {
  const all = messagesIn(texts);
  const end = isContinued === true ? beginOfLast(all) : all.length;
  const conversation = { messages: all.slice(0, end), variables: {}, resources: {} };
  const renew = links && lazily(() => createFreshLinks(links));
  const shown = toUiMessages(isLeft === true ? settle(conversation) : conversation, {
    view,
    ...(renew && { urlOf: renew }),
  });
  const newest = limit === undefined ? shown : shown.slice(-limit);
  return {
    /** JSON of UIMessages, separated by commas. */
    json: newest.map((message) => JSON.stringify(message)).join(","),
    /** How many there are, also beyond the limit. */
    count: shown.length,
    /** JSON of the stored messages that were not shown yet; empty if there are none. */
    rest: end === all.length ? "" : JSON.stringify(all.slice(end)),
  };
}

/** Most messages have no files. */
function lazily(make: () => (url: string) => string): (url: string) => string {
  let made: ReturnType<typeof make> | undefined;
  return (url) => {
    made ??= make();
    return made(url);
  };
}

function messagesIn(texts: readonly string[]): StoredMessage[] {
  return texts.flatMap((text): StoredMessage[] => JSON.parse(text));
}

/** The index at which the last message that users see begins; it may be stored as several. */
function beginOfLast(messages: readonly StoredMessage[]): number {
  let begin = messages.length;
  let id: string | undefined;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || message.audience !== "everyone") continue;
    id ??= shownId(message);
    if (shownId(message) !== id) return begin;
    begin = index;
  }
  return 0;
}
