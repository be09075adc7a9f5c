import type { RunFacts, TimelineEvent } from "../src/index.ts";
import { TimelineBuilder } from "../test/support/timeline-builder.ts";

const task =
  "survey.csv has the answers of our shops in Osaka, Seoul, Taipei and Lyon. Make a table of the ratings and translate the best comment of each shop.";

export const surveyFacts: RunFacts = {
  agentName: "Mina",
  task,
  startedAtMs: Date.UTC(2026, 9, 6, 8, 30),
  endedAtMs: Date.UTC(2026, 9, 6, 8, 31, 4),
  status: "completed",
  model: "openai/gpt-5-mini",
  usage: { costUsd: "0.0117", inputTokens: 18_930, outputTokens: 1_244 },
};

const esc = "\u001b";
const colored = (red: number, green: number, blue: number, text: string) =>
  `${esc}[38;2;${red};${green};${blue}m${text}${esc}[m`;
const shops: Array<[city: string, rating: number, mood: string]> = [
  ["大阪 Osaka", 4.7, "😍"],
  ["서울 Seoul", 4.4, "😊"],
  ["台北 Taipei", 4.6, "🥰"],
  ["Lyon", 3.1, "😐"],
];

/** Each cell of a bar a little greener than the one before. */
function bar(rating: number): string {
  const cells = Array.from({ length: Math.round(rating * 8) }, (_, cell) =>
    colored(235 - cell * 4, 90 + cell * 4, 110, "█"),
  );
  return cells.join("");
}

function table(): Array<readonly [number, string]> {
  return shops.map(([city, rating, mood]) => {
    // A wide character takes two cells.
    const width = [...city].reduce((sum, letter) => sum + (letter > "\u1100" ? 2 : 1), 0);
    return [260, `${city}${" ".repeat(14 - width)}${bar(rating)} ${rating.toFixed(1)} ${mood}\n`] as const;
  });
}

/** Files, wide characters, emoji and 24-bit colours. */
export function surveyTimeline(): TimelineEvent[] {
  const run = new TimelineBuilder(task);
  run.step().pause(1500);
  run.say("First a look at the columns.");
  run.call("files__read", { path: "/home/agent/files/survey.csv" }, () => {
    run.pause(70);
    const content =
      "shop,rating,comment\n大阪,5,店員さんがとても親切でした！\n서울,4,직원이 친절하고 매장이 깨끗해요\n台北,5,咖啡很香，下次還會再來 ☕\nLyon,3,Bon café mais trop d'attente 🕐\n";
    return { path: "/home/agent/files/survey.csv", content, firstLine: 1, lastLine: 5, totalLines: 412 };
  });
  run.usage(3120, 96, 0.0019);
  run.step().pause(2200);
  run.think(
    "412 answers. A mean for each shop, then the comment with the highest rating and the most words.",
  );
  run.say("412 answers from four shops. Now the mean rating of each:");
  run.run("./ratings --by shop ~/files/survey.csv", table());
  run.usage(7450, 310, 0.0046);
  run.step().pause(3800);
  run.say("Osaka leads; Lyon has to wait too long for coffee. I'll write the table and the translations.");
  run.call(
    "files__write",
    {
      path: "/home/agent/ratings.md",
      content:
        "# Ratings 🌏\n\n| Shop | Rating | Best comment |\n|---|---|---|\n| 大阪 | 4.7 | The staff was very kind! |\n| 台北 | 4.6 | Fragrant coffee, I'll be back ☕ |\n| 서울 | 4.4 | Kind staff and a clean shop |\n| Lyon | 3.1 | Good coffee, but a long wait 🕐 |\n",
    },
    () => {
      run.pause(90);
      return { path: "/home/agent/ratings.md", size: 318 };
    },
  );
  run.usage(12_800, 840, 0.0081);
  run.step().pause(2400);
  run.say(
    "The table is in `~/ratings.md`.\n\n- **大阪** leads with 4.7: _“店員さんがとても親切でした！”_, the staff was very kind\n- **台北** and **서울** follow closely\n- **Lyon** (3.1) loses points for the wait 🕐",
  );
  run.usage(18_930, 1244, 0.0117);
  run.end("completed");
  return run.events;
}
