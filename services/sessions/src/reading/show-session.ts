import { settle } from "../engine/conversation/settle.ts";
import { toUiMessages, type UiOptions } from "../engine/shown/ui-messages.ts";
import { readConversation } from "../store/session-document.ts";

export interface ShowRequest extends Required<UiOptions> {
  /** The stored conversation: JSON. */
  conversation: string | null;
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
export function show({ view, isLeft, ...stored }: ShowRequest): Shown {
  const conversation = readConversation(stored);
  if (isLeft) settle(conversation);
  return {
    messagesJson: JSON.stringify(toUiMessages(conversation, { view })),
    variablesJson: JSON.stringify(conversation.variables),
    resourcesJson: JSON.stringify(conversation.resources),
  };
}
