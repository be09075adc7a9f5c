import { ask, calls, type Story, says } from "../story.ts";

/** An order, in the form of the shop's tool. */
export const order = (number: string, more: Record<string, unknown>) => ({ orderNumber: number, ...more });

/** A refund above the amount that needs a decision. */
export const refundStory: Story = ({ order: number, item, amount }) => [
  ask(
    `Order ${number}: the ${item} was smashed when I opened the box. I want my money back.`,
    calls(
      "get-order",
      { orderNumber: number },
      { result: order(number, { status: "delivered", item, total: amount }) },
    ),
    says(
      `That should not happen, I'm sorry. I can send a replacement today, or pay the full ${amount} euros back.`,
      "A broken lamp: offer a replacement first, then the refund.",
    ),
  ),
  {
    user: `No replacement. The refund for ${number}, please.`,
    steps: [
      calls(
        "refund",
        { orderNumber: number, amount, reason: `The ${item} arrived broken` },
        { text: "I have asked for the refund.", result: { paid: amount, arrivesWithin: "3 days" } },
      ),
      says(
        `Your refund of ${amount} euros has been checked. Thank you for your patience. You do not need to send anything back.`,
      ),
    ],
    refused:
      "My colleagues could not match the photo with your order. Could you send us the receipt? Then we look at it again at once.",
  },
];

/** Refunds that the agent pays at once. */
export const smallRefundStories: readonly Story[] = [
  ({ order: number, item }) => [
    ask(
      `The shade of my ${item} (order ${number}) arrived with a dent.`,
      calls(
        "get-order",
        { orderNumber: number },
        { result: order(number, { status: "delivered", item, total: 64.9 }) },
      ),
      says(
        `I'm sorry about that. We can send a new shade for your ${item} today, or pay 20 euros back if the dent does not bother you much. Which do you prefer?`,
      ),
    ),
    ask(
      "It faces the wall anyway. The 20 euros, please.",
      calls(
        "refund",
        { orderNumber: number, amount: 20, reason: "Dented shade, customer keeps it" },
        { result: { paid: 20, arrivesWithin: "3 days" } },
      ),
      says("Done: 20 euros are on their way and arrive within three days. Enjoy the lamp!"),
    ),
  ],
  ({ order: number, item }) => [
    ask(
      `My ${item} flickers. It is from order ${number}.`,
      calls(
        "get-order",
        { orderNumber: number },
        { result: order(number, { status: "delivered", item, total: 79 }) },
      ),
      says("Let's find out why: does it also flicker in another socket, without a dimmer?"),
    ),
    ask(
      "Without the dimmer it's steady.",
      says("Then the dimmer needs more load than an LED has. One for LEDs from 5 watts solves it."),
    ),
    ask(
      "The shop told me any dimmer works!",
      calls(
        "refund",
        { orderNumber: number, amount: 15, reason: "Wrong advice about dimmers" },
        { result: { paid: 15, arrivesWithin: "3 days" } },
      ),
      says(
        "That advice was wrong, and I'm sorry. I have paid 15 euros back, about half the price of a suitable dimmer.",
      ),
    ),
  ],
];
