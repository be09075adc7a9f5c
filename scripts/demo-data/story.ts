/** A call of a tool, and its result, unless the platform or a worker makes it. */
export interface StoryCall {
  name: string;
  args: Record<string, unknown>;
  result?: unknown;
  /** The task of the called worker, and its replies. */
  worker?: StoryTurn;
}

/** One reply of the model, or its failure. */
export interface StoryStep {
  thought?: string;
  text?: string;
  calls?: readonly StoryCall[];
  /** How long the model takes in addition to its usual time. */
  tookMs?: number;
  /** The provider refuses the request, or the stream breaks after the text. */
  failure?: { status: number; message: string } | "cut";
}

/** A message of a user, and the replies of the model until the turn ends. */
export interface StoryTurn {
  user: string;
  steps: readonly StoryStep[];
  /** The reply instead, if a call is denied or not decided in time. */
  refused?: string;
}

/** The details in which conversations about the same matter differ. */
export interface Details {
  /** The number of an order. */
  order: string;
  item: string;
  /** In euros. */
  amount: number;
  city: string;
  colleague: string;
}

/** A conversation that several users have, each with details of their own. */
export type Story = (details: Details) => readonly StoryTurn[];

export const ask = (user: string, ...steps: readonly StoryStep[]): StoryTurn => ({ user, steps });

export const says = (text: string, thought?: string): StoryStep => ({
  text,
  ...(thought !== undefined && { thought }),
});

/** A step with one call. */
export function calls(
  name: string,
  args: Record<string, unknown>,
  more: Pick<StoryCall, "result" | "worker"> & Pick<StoryStep, "text" | "thought"> = {},
): StoryStep {
  const { text, thought, ...of } = more;
  return {
    ...(thought !== undefined && { thought }),
    ...(text !== undefined && { text }),
    calls: [{ name, args, ...of }],
  };
}
