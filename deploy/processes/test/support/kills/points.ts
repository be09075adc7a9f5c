import type { ScriptedRequest, ScriptedStep } from "@muster/models/testing";

/** A place in a turn where its process dies. */
export interface Point {
  /** A part of the user's message, by which the model knows the turn. */
  name: string;
  /** The model's action in each step. The process dies in the last one, and the model is asked for it again. */
  steps: ScriptedStep[];
  /** How many processes die there. Default: 1. */
  deaths?: number;
  /** The contents of the stream by then. */
  reached: string;
}

/** The model's text in the end. */
export const whole = "All of it, to the end.";

const half: ScriptedStep = { parts: [{ text: ["Only half ", "of it"] }], ending: "hang" };
const inText = '"delta":"of it"';
const todos = [{ content: "Look", status: "pending" }];
const plan: ScriptedStep = {
  parts: [{ text: "First a plan. " }, { toolCall: { name: "platform_todo_write", arguments: { todos } } }],
};
const lookUp = { toolCall: { name: "get-order", arguments: { orderNumber: "1042, if I remember well" } } };

export const inMiddleOfText: Point = { name: "in the middle of a text", steps: [half], reached: inText };

export const points: readonly Point[] = [
  {
    name: "before the model has said anything",
    steps: [{ silent: true }],
    reached: '"blockType":"next-message"',
  },
  inMiddleOfText,
  { ...inMiddleOfText, name: "in the middle of a text, and there again", deaths: 2 },
  {
    name: "in the middle of the arguments of a tool call",
    // The start of the answer, the start of the call, and two pieces of its arguments.
    steps: [{ parts: [lookUp], chunks: 4, ending: "hang" }],
    reached: '"type":"tool-input-start"',
  },
  { name: "in a later step, after a tool of the platform", steps: [plan, half], reached: inText },
  { name: "in the step after a tool of the client", steps: [{ parts: [lookUp] }, half], reached: inText },
];

/** The process dies while a server carries out a call, which may not be repeated. */
export const duringRemoteCall: Point = {
  name: "during a call of an MCP server",
  steps: [{ parts: [{ toolCall: { name: "tickets__wait", arguments: {} } }] }],
  reached: '"type":"tool-input-available"',
};

/** A model that plays the points. Counts how often it is asked for each step. */
export class PointScript {
  readonly #asked = new Map<string, number[]>();
  readonly #gates = new Map<string, Promise<unknown>>();

  /** The model sends only the beginning of its answer to this message until then. */
  hold(message: string, until: Promise<unknown>): void {
    this.#gates.set(message, until);
  }

  /** How often each step was asked for of the turn that began with the message. */
  asked(message: string): readonly number[] {
    return this.#asked.get(message) ?? [];
  }

  readonly choose = ({ body }: ScriptedRequest): ScriptedStep => {
    const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
    const step = messages.filter((message) => Reflect.has(Object(message), "tool_calls")).length;
    const message = userIn(messages);
    const asked = this.#asked.get(message) ?? [];
    this.#asked.set(message, asked);
    asked[step] = (asked[step] ?? 0) + 1;
    const gate = this.#gates.get(message);
    if (gate !== undefined)
      return { parts: [{ text: "All of it, " }, { until: gate }, { text: "to the end." }] };
    const { steps, deaths = 1 } =
      [...points, duringRemoteCall].find(({ name }) => message.endsWith(name)) ?? inMiddleOfText;
    const scripted = asked[step] <= deaths ? steps[step] : undefined;
    return scripted ?? { parts: [{ text: whole }] };
  };
}

function userIn(messages: readonly unknown[]): string {
  const first = messages.find((message) => Reflect.get(Object(message), "role") === "user");
  const content: unknown = Reflect.get(Object(first), "content");
  return typeof content === "string" ? content.trim() : "";
}
