import { ask, calls, type Story, says } from "../story.ts";
import { order } from "./refunds.ts";

/** Conversations of customers about their orders. */
export const orderStories: readonly [Story, ...Story[]] = [
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
  ({ order: number }) => [
    ask(
      `I need an invoice with our VAT number for ${number}.`,
      calls("get-order", { orderNumber: number }, { result: order(number, { status: "delivered" }) }),
      says("Of course. Which VAT number and which company address should be on it?"),
    ),
    ask(
      "ATU00000000, Studio Kessel, 3 Canal Street",
      says("Thank you. The corrected invoice arrives by e-mail within an hour and replaces the first one."),
    ),
  ],
  ({ order: number, item, city }) => [
    ask(
      `The tracking of ${number} says delivered, but there is nothing here.`,
      calls(
        "get-order",
        { orderNumber: number },
        {
          thought: "Delivered where? The carrier's note may say more.",
          result: order(number, { status: "delivered", item, note: "left at parcel shop", place: city }),
        },
      ),
      says(
        `The carrier left it at a parcel shop in ${city}, because nobody opened. You can pick it up there with your order number until Saturday.`,
      ),
    ),
    ask(
      "They could have written a note!",
      says("They should have, and I have passed it on to them. I'm sorry for the search."),
    ),
    ask("Found it. Thanks.", says("Great! Enjoy it.")),
  ],
];

/** A conversation that ends with an error of the model's provider. */
export const orderFailure: Story = ({ order: number }) => [
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
