import type { StoredMessage } from "../engine/conversation/conversation.ts";
import { settle } from "../engine/conversation/settle.ts";
import { toUiMessages, type UiOptions } from "../engine/shown/ui-messages.ts";
import { type Containing, readConversation } from "../store/session-document.ts";

export interface ShowRequest extends Required<UiOptions> {
  /** JSON of the archived messages, in order. */
  archived: readonly string[];
  /** The rest. */
  stored: Containing;
  /** A dead holder left its turn unfinished. */
  isLeft: boolean;
}

/** JSON of what a session shows to its readers. */
export interface Shown {
  messagesJson: string;
  variablesJson: string;
  resourcesJson: string;
}

/** A turn that a dead holder left unfinished appears as the next trigger would find it. */
export function show({ view, isLeft, archived, stored }: ShowRequest): Shown {
  const conversation = readConversation(stored);
  if (isLeft) settle(conversation);
  const messages = [...archived.flatMap(messagesIn), ...conversation.messages];
  return {
    messagesJson: JSON.stringify(toUiMessages({ ...conversation, messages }, { view })),
    variablesJson: JSON.stringify(conversation.variables),
    resourcesJson: JSON.stringify(conversation.resources),
  };
}

function messagesIn(text: string): StoredMessage[] {
  return JSON.parse(text);
}
