import { ask, calls, type Story, says } from "../story.ts";

const order = (number: string, more: Record<string, unknown>) => ({ orderNumber: number, ...more });

/** Conversations of customers with the support desk. */
export const supportStories: readonly [Story, ...Story[]] = [
  ({ order: number, item, city }) => [
    ask(
      `Hi, where is my order ${number}? It should have been here on Tuesday.`,
      calls(
        "get-order",
        { orderNumber: number },
        {
          result: order(number, { status: "in transit", item, carrier: "Northwind Parcel", lastScan: city }),
        },
      ),
      says(
        `Your ${item} left our warehouse on Monday and was scanned in ${city} last night, so it should reach you tomorrow. Sorry for the delay.`,
      ),
    ),
    ask(
      "Can the driver leave it with a neighbour?",
      says(
        "Yes. The link in your shipping e-mail lets you choose a neighbour or a safe place until midnight.",
      ),
    ),
  ],
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
  ({ order: number, item, amount }) => [
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
      user: "No replacement. The refund, please.",
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
  ],
  ({ order: number, city }) => [
    ask(
      `I moved! Can order ${number} go to my new flat in ${city}?`,
      calls(
        "get-order",
        { orderNumber: number },
        { result: order(number, { status: "packed", shipsTo: "previous address" }) },
      ),
      says(
        "It is packed but has not left, so there is still time. Please reply with the full new address and I will pass it on.",
      ),
    ),
    ask(
      `Mill Lane 14, second floor, ${city}`,
      says(
        `Thank you. I have noted Mill Lane 14, second floor, ${city}, and the warehouse prints a new label within the hour.`,
      ),
    ),
    ask("And will it still come this week?", says("Yes, on Friday at the latest.")),
    ask("You're the best.", says("Happy to help. Welcome to your new home!")),
  ],
  ({ item }) => [
    ask(
      `Does the ${item} work with a dimmer?`,
      says(
        `Yes, the ${item} works with any dimmer for LEDs from 5 watts. Older dimmers for bulbs can make it flicker.`,
      ),
    ),
  ],
  ({ item }) => [
    ask(
      "Do you wrap gifts?",
      says("We do, for 4 euros, with a card in your words. You choose it on the last page before you pay."),
    ),
    ask(
      `Lovely. And how long can my sister return the ${item}?`,
      says(
        "For 60 days from the delivery, unused and in its box. For gifts we pay into your account or send a voucher to her.",
      ),
    ),
    ask(
      "A voucher sounds good.",
      says("Then choose 'gift' when you order. The receipt in the parcel shows no prices."),
    ),
  ],
  ({ order: number, item }) => [
    ask(
      `I ordered the wrong colour, ${number}.`,
      calls(
        "get-order",
        { orderNumber: number },
        { result: order(number, { status: "in transit", item, colour: "sage" }) },
      ),
      says(
        "It is already on its way in sage. You can refuse the parcel at the door, or swap it once it has arrived. Which colour did you want?",
      ),
    ),
    ask(
      "The brick red one.",
      says(`Brick red is in stock. I have reserved one ${item} for you for ten days.`),
    ),
    ask("Does the swap cost anything?", says("No. We pay both ways for the first swap of an order.")),
    ask(
      "What if I lose the return label?",
      says("Then write to us with your order number and we send it again."),
    ),
    ask("Great, that's all.", says("Thank you! Your reserved lamp waits for you.")),
    ask(
      "Actually, could I get two of them?",
      says("Of course: I have reserved a second one. You pay for it when you confirm the swap."),
    ),
  ],
  ({ order: number }) => [
    ask(
      `Cancel ${number} please`,
      calls("get-order", { orderNumber: number }, { result: order(number, { status: "paid" }) }),
      says("It has not been packed yet, so cancelling is no problem. Shall I pay the whole amount back?"),
    ),
  ],
];

/** A conversation that ends with an error of the model's provider. */
export const supportFailure: Story = ({ order: number }) => [
  ask(
    `Third message about ${number}: nobody answers the phone and the tracking page is empty!`,
    calls(
      "get-order",
      { orderNumber: number },
      { result: order(number, { status: "in transit", lastScan: null }) },
    ),
    {
      failure: {
        status: 400,
        message: "Your credit balance is too low to access the API. Please go to Plans & Billing.",
      },
    },
  ),
];
