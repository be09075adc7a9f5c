import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Area } from "../scene/area.ts";
import type { Palette } from "../theme/palettes.ts";
import { type LaidOutBlock, layoutBlock } from "./block-painter.ts";
import type { Block, Conversation } from "./conversation.ts";

const gap = 10;
/** Time in which most of the way to the new end is scrolled. */
const scrollMs = 110;

/** Draws the end of a conversation. New text pushes the old up smoothly. */
export class ChatPainter {
  readonly #palette: Palette;
  #laidOut = new WeakMap<Block, { version: number; layout: LaidOutBlock | undefined }>();
  /** Whether more of the conversation is above the area. */
  isCutAtTop = false;
  #height = 0;
  #lag = 0;

  constructor(palette: Palette) {
    this.#palette = palette;
  }

  /** Scrolls on. Returns whether there is more to scroll. */
  advance(passedMs: number): boolean {
    if (this.#lag === 0) return false;
    this.#lag *= Math.exp(-passedMs / scrollMs);
    if (this.#lag < 1) this.#lag = 0;
    return true;
  }

  /** Draws into the area, whose background is there already. `turn` moves what spins. */
  paint(context: SKRSContext2D, { blocks }: Conversation, area: Area, turn: number): void {
    const column = this.#column(context, blocks, area.width);
    const height = column.reduce((sum, layout) => sum + layout.height + gap, 0) - gap;
    this.#scroll(height, area.height);
    this.isCutAtTop = height > area.height;
    let y = this.isCutAtTop ? area.y + area.height + Math.round(this.#lag) : area.y + height;
    for (const layout of column.toReversed()) {
      y -= layout.height;
      if (y < area.y + area.height) layout.draw(context, area.x, y, turn);
      y -= gap;
      if (y < area.y) return;
    }
  }

  #column(context: SKRSContext2D, blocks: readonly Block[], width: number): LaidOutBlock[] {
    return blocks.flatMap((block) => {
      const known = this.#laidOut.get(block);
      if (known?.version === block.version) return known.layout ?? [];
      const layout = layoutBlock(context, block, width, this.#palette);
      this.#laidOut.set(block, { version: block.version, layout });
      return layout ?? [];
    });
  }

  /** Rows that no longer fit have to move up by as much as was added. */
  #scroll(height: number, room: number): void {
    const added = Math.max(height, room) - Math.max(this.#height, room);
    this.#height = height;
    this.#lag = Math.min(Math.max(this.#lag + Math.max(added, 0), 0), room / 2);
  }
}
