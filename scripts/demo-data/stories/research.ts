import { ask, calls, type Story, type StoryTurn, says } from "../story.ts";

const reading = (question: string, notes: string, thought: string) =>
  calls("read-sources", { QUESTION: question }, { thought, worker: ask(question, says(notes)) });
const checking = (claim: string, verdict: string) =>
  calls("check-claim", { CLAIM: claim }, { worker: ask(claim, says(verdict)) });

/** Questions of colleagues to the research assistant. */
export const researchStories: readonly [Story, ...Story[]] = [
  ({ city }) => [
    ask(
      `What would recycled cardboard for our lamp boxes cost us compared with what we use now? We pack in ${city}.`,
      reading(
        `What do boxes of recycled cardboard cost per thousand near ${city}, compared with new cardboard?`,
        "1. Price list of a regional mill: recycled board costs 4 to 7 % less per thousand.\n2. Trade journal: it needs one more layer for the same stacking strength.\n3. A packer's report: damage rose by 0.3 points without that layer.",
        "Prices first; the strength of the board decides whether they can be compared at all.",
      ),
      checking(
        "Recycled board needs one more layer for the same strength.",
        "Supported by two of three notes. Fairly certain, because both measured boxes of our size.",
      ),
      says(
        "About the same as today. Recycled board is 4 to 7 % cheaper, but a lamp box needs one more layer, which uses the saving up. Without it, damage rises by about 0.3 points. I found no prices for orders below 5,000 boxes.",
      ),
    ),
    ask(
      "And if we only use it for the outer box?",
      says(
        "Then the saving stays: the outer box carries the stack, but ours are rarely stacked more than four high, for which a single layer is enough according to the packer's report. I would try it with 500 boxes first.",
      ),
    ),
  ],
  () => [
    ask(
      "Which rules for the repair of lamps apply to us from next year?",
      reading(
        "Which rules about replaceable light sources will apply to lamps next year?",
        "1. Text of the regulation: light sources must be replaceable with common tools.\n2. Guidance for makers: spare parts for seven years.\n3. A lawyer's note: small shops that only sell need to inform, not to stock parts.",
        "Two roles matter: maker and shop. We are both for the Ember series.",
      ),
      says(
        "Two things: light sources must be replaceable with common tools, and makers must keep spare parts for seven years. For the Ember series we are the maker, so both apply; for everything else we only have to inform. I could not find the date for lamps that are already in stock.",
      ),
    ),
  ],
  ({ item, city }) => [
    ask(
      `Who else sells something like the ${item} around ${city}, and for how much?`,
      reading(
        `Which shops around ${city} sell table lamps like the ${item}, and at what price?`,
        "1. Two design shops: 79 and 95 euros, no dimmer.\n2. A furniture store: 49 euros, plastic base.\n3. Market stalls: 30 to 45 euros, no warranty.",
        "Compare like with like: metal base, dimmer, warranty.",
      ),
      checking(
        `Nobody near ${city} sells a lamp with a metal base and a dimmer below 79 euros.`,
        "Probably true: the cheaper ones in the notes lack one or both. Not certain, as market prices change weekly.",
      ),
      says(
        "Four sellers, from 30 to 95 euros. Only the two design shops compare with ours, and both are without a dimmer: 79 and 95 euros. Our price sits between them.",
      ),
    ),
    ask(
      "Make that a table.",
      says(
        "| Seller | Price | Base | Dimmer |\n|---|---|---|---|\n| Design shop A | 79 € | metal | no |\n| Design shop B | 95 € | metal | no |\n| Furniture store | 49 € | plastic | no |\n| Market stalls | 30–45 € | mixed | no |",
      ),
    ),
    ask(
      "Thanks! Which one is the most recent price?",
      says("The furniture store's, from this week. The design shops' prices are a month old."),
    ),
  ],
  () => [
    ask(
      "Summarise what customers say about bamboo shades in two sentences.",
      reading(
        "What do customers say about lamp shades made of bamboo?",
        "1. Reviews: the warm light is praised in four of five.\n2. Forum for interiors: dust is hard to remove.\n3. Test report: colours fade after two summers at a window.",
        "Only opinions are asked for, so no claim needs a check.",
      ),
      says(
        "They love the warm light and the look. They complain about dust between the strips, and about colours that fade at sunny windows.",
      ),
    ),
  ],
];

/** A question whose answer breaks off. */
export const researchFailure = (): readonly StoryTurn[] => [
  ask("List every supplier of linen shades in Europe with prices.", {
    thought: "That is a long list. I begin with the north.",
    text: "Here is the list so far. In the north there are three mills that weave",
    failure: "cut",
  }),
];
