import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

/** Informs the demo model that a call asks for a summary. */
export const demoSummary: Pick<LanguageModelV4CallOptions, "providerOptions"> = {
  providerOptions: { demo: { task: "summary" } },
};

const maxQuotes = 8;
const maxQuoteLength = 80;

export function asksForSummary({ providerOptions }: LanguageModelV4CallOptions): boolean {
  return providerOptions?.demo?.task === "summary";
}

/** The user's messages, by the beginnings of the latest ones. `text`: messages under headings, as in markdown. */
export function summaryOf(text: string): string {
  const messages = text.split(/^## (?=User$|Assistant$|System$)/m).slice(1);
  const said = messages.flatMap((message) => (message.startsWith("User\n") ? quoteOf(message.slice(5)) : []));
  const count = messages.length === 1 ? "one message" : `${messages.length} messages`;
  const quotes = said.slice(-maxQuotes).join(", ");
  return `A summary of ${count}.${quotes === "" ? "" : ` The user said: ${quotes}.`}`;
}

function quoteOf(message: string): string[] {
  const words = message.trim().replace(/\s+/g, " ");
  if (words === "") return [];
  return [`“${words.length > maxQuoteLength ? `${words.slice(0, maxQuoteLength).toWellFormed()}…` : words}”`];
}
