import {
  type Conversation,
  rollback,
  rollbackToSummary,
  type StoredMessage,
  type ViewSearch,
} from "@muster/engine";
import type { TurnHistory } from "./turn-history.ts";

/** How a conversation gets the messages that its turn did not seem to need. */
export interface EarlierMessages {
  /** The archived ones before a position. */
  load(to: number): Promise<StoredMessage[]>;
  /** Users see a message with this id. */
  hasMessage(id: string): Promise<boolean>;
  /** Finds out what the turn reads. Undefined: everything. */
  search(): ViewSearch | undefined;
}

/** The conversation of a turn, as far as it is read. */
export class OpenedConversation {
  readonly conversation: Conversation;
  readonly history: TurnHistory;
  readonly #earlier: EarlierMessages;

  constructor(conversation: Conversation, history: TurnHistory, earlier: EarlierMessages) {
    this.conversation = conversation;
    this.history = history;
    this.#earlier = earlier;
  }

  /** That many of the loaded messages at the beginning never change. */
  get finalLength(): number {
    return this.history.archivedEnd - this.#loadedFrom;
  }

  get #loadedFrom(): number {
    return this.conversation.loadedFrom ?? 0;
  }

  /**
   * Removes every message after the given one; null removes all. False, and nothing is changed, if users see no message with
   * that id. Loads the earlier messages if it is one of them, or if models read some of them now.
   */
  async rollBack(afterMessageId: string | null): Promise<boolean> {
    const { conversation, history } = this;
    const roll = () =>
      afterMessageId === history.summaryId
        ? rollbackToSummary(conversation, this.finalLength)
        : rollback(conversation, afterMessageId, this.finalLength);
    let kept = roll();
    if (kept === undefined && afterMessageId !== null && (await this.#isEarlier(afterMessageId))) {
      await this.#complete();
      kept = roll();
    }
    if (kept === undefined) return false;
    await history.rewind(kept);
    if (this.#earlier.search()?.visitAll(conversation) === undefined) await this.#complete();
    return true;
  }

  async #isEarlier(messageId: string): Promise<boolean> {
    return this.#loadedFrom > 0 && (await this.#earlier.hasMessage(messageId));
  }

  async #complete(): Promise<void> {
    const { conversation } = this;
    if (this.#loadedFrom === 0) return;
    const earlier = await this.#earlier.load(this.#loadedFrom);
    conversation.messages = earlier.concat(conversation.messages);
    delete conversation.loadedFrom;
    this.history.completed(earlier);
  }
}
