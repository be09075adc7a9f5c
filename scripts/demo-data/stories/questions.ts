import { ask, type Story, says } from "../story.ts";

/** Conversations of customers who have not ordered yet. */
export const questionStories: readonly Story[] = [
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
  ({ item }) => [
    ask(
      `Is the ${item} bright enough to read by?`,
      says(
        `With the bulb that comes with it, 470 lumens, it is fine for an evening at a desk. For small print, take our 806 lumen bulb: the ${item} carries up to 9 watts.`,
      ),
    ),
    ask("What colour is the light?", says("Warm white, 2,700 kelvin. The brighter bulb has the same.")),
  ],
  ({ item, colleague }) => [
    ask(
      `Do you have the ${item} in the shop, to look at it?`,
      says(
        `Yes, at the window. ${colleague} is there from Tuesday to Saturday, 10 to 18, and shows it to you with different bulbs.`,
      ),
    ),
  ],
];
