import type { Conversation } from "./have-conversation.ts";
import type { Random } from "./random.ts";
import { analyticsStories } from "./stories/analytics.ts";
import { accessStory, onboardingStories } from "./stories/onboarding.ts";
import { orderFailure, orderStories } from "./stories/orders.ts";
import { questionStories } from "./stories/questions.ts";
import { refundStory, smallRefundStories } from "./stories/refunds.ts";
import { researchFailure, researchStories } from "./stories/research.ts";
import type { Details, Story } from "./story.ts";

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export interface PlannedConversation extends Conversation {
  atMs: number;
  /** Customers use another key than colleagues. */
  isCustomer: boolean;
  /** The user clears the session afterwards. */
  isCleared: boolean;
}

interface Desk {
  agentSlug: string;
  stories: readonly [Story, ...Story[]];
  failure?: Story;
  channels: readonly [string, ...string[]];
}

const support = {
  ...{ agentSlug: "support-desk", failure: orderFailure },
  // Some colleague always has a refund to decide about.
  stories: [...orderStories, refundStory, refundStory, ...smallRefundStories, ...questionStories],
  channels: ["web", "web", "app", "email"],
} satisfies Desk;
const research = {
  ...{ agentSlug: "research-assistant", stories: researchStories, failure: researchFailure },
  channels: ["chat", "editor"],
} satisfies Desk;
const onboarding: Desk = { agentSlug: "onboarding-guide", stories: onboardingStories, channels: ["chat"] };
const numbers: Desk = { agentSlug: "numbers-desk", stories: analyticsStories, channels: ["chat", "report"] };
// Most conversations are those of customers.
const desks = [support, support, support, support, numbers, numbers, research, onboarding] as const;

/** By the remainder of its number, a conversation that ends with an error. */
const failures: Readonly<Record<number, Desk & Required<Pick<Desk, "failure">>>> = {
  2: support,
  14: research,
};

const items = [
  "Ember table lamp",
  "Dune floor lamp",
  "Pico clip light",
  "Harbour pendant",
  "Moss desk lamp",
] as const;
const cities = ["Oslo", "Porto", "Ghent", "Tampere", "Graz", "Aarhus"] as const;
const colleagues = ["Noor", "Emil", "Yara", "Tobias", "Hana", "Luca"] as const;

/** The conversations of a week, in the order of their beginning. */
export function planConversations(random: Random, count: number, startMs: number): PlannedConversation[] {
  const times = Array.from({ length: count }, () => startMs + hourMs + workingTime(random, startMs)).sort();
  return times.map((atMs, index) => {
    const failing = failures[index % 24];
    const desk = failing ?? random.pick(desks);
    const story = failing?.failure ?? random.pick(desk.stories);
    return { ...conversationOf(random, desk, story), atMs, isCleared: index % 25 === 11 };
  });
}

/** Conversations that still wait for a decision when the week ends. */
export function planWaiting(random: Random, endMs: number): PlannedConversation[] {
  return [5, 2, 0.4].map((hours) => {
    const { decision: _, ...conversation } = conversationOf(random, support, refundStory);
    return { ...conversation, atMs: endMs - hours * hourMs, isCleared: false };
  });
}

/** A conversation whose call is not decided in time. */
export function planExpiring(random: Random, atMs: number): PlannedConversation {
  const { decision: _, ...conversation } = conversationOf(random, onboarding, accessStory);
  return { ...conversation, atMs, isCleared: false };
}

function conversationOf(random: Random, desk: Desk, story: Story) {
  const isCustomer = desk === support;
  const colleague = random.pick(colleagues);
  const user = isCustomer ? `u-${random.between(1_000, 1_060)}` : colleague.toLowerCase();
  const plan = isCustomer ? { plan: random.pick(["guest", "member", "member", "trade"]) } : { team: "shop" };
  return {
    agentSlug: desk.agentSlug,
    subject: user,
    metadata: { user, ...plan, channel: random.pick(desk.channels) },
    turns: story({ ...detailsOf(random), colleague }),
    decision: random.next() < 0.8 ? ("approve" as const) : ("deny" as const),
    isCustomer,
  };
}

function detailsOf(random: Random): Omit<Details, "colleague"> {
  return {
    order: String(random.between(1_040, 9_980)),
    item: random.pick(items),
    amount: random.pick([79, 94.5, 119, 149, 238]),
    city: random.pick(cities),
  };
}

/** Milliseconds after the beginning: mostly by day, and less at weekends. */
function workingTime(random: Random, startMs: number): number {
  for (;;) {
    const offsetMs = Math.floor(random.next() * (7 * dayMs - 9 * hourMs));
    const at = new Date(startMs + offsetMs);
    const isDay = at.getUTCHours() >= 6 && at.getUTCHours() < 20;
    const isWeekend = at.getUTCDay() % 6 === 0;
    if (random.next() < (isDay ? 1 : 0.12) * (isWeekend ? 0.45 : 1)) return offsetMs;
  }
}
