import { ask, calls, type StoryTurn, says } from "../story.ts";

const run = (command: string, thought?: string) => ({
  ...calls("shell__run_command", { command }, thought === undefined ? {} : { thought }),
  // Longer commands take longer to write.
  tookMs: 45 * command.length,
});

/** Work for the hired agents, by the slug of their definition. */
export const tasks: Readonly<Record<"log-analyst" | "data-wrangler" | "site-checker", readonly StoryTurn[]>> =
  {
    "log-analyst": [
      ask(
        "Which host failed most last night?\n\nweb-1 ok\nweb-2 failed: disk full\nweb-3 ok\nweb-2 failed: disk full\nweb-1 failed: timeout",
        run(
          "mkdir -p logs && printf 'web-1 ok\\nweb-2 failed: disk full\\nweb-3 ok\\nweb-2 failed: disk full\\nweb-1 failed: timeout\\n' > logs/night.txt && wc -l logs/night.txt",
          "I store the log first, so that I can count instead of guess.",
        ),
        run("grep failed logs/night.txt | cut -d' ' -f1 | sort | uniq -c | sort -rn"),
        says(
          "web-2 failed most: twice, both times with a full disk. web-1 failed once with a timeout. Free space on web-2 before tonight.",
        ),
      ),
      ask(
        "The shop was slow between 9 and 10. Find out why.\n\n09:02 GET /cart 180ms\n09:14 GET /search 2900ms\n09:31 GET /search 3100ms\n09:40 GET /cart 210ms\n09:52 GET /search 2700ms",
        run(
          "printf '09:02 /cart 180\\n09:14 /search 2900\\n09:31 /search 3100\\n09:40 /cart 210\\n09:52 /search 2700\\n' > slow.txt && awk '{ n[$2]++; s[$2]+=$3 } END { for (p in n) print p, n[p], s[p]/n[p] \" ms\" }' slow.txt | sort",
        ),
        says(
          "Only /search was slow: three requests took 2.9 s on average, while /cart stayed at 195 ms. The database is not the cause, because the cart uses the same one; look at the search index.",
        ),
      ),
      ask(
        "Count yesterday's sign-in failures by reason: 41 wrong password, 3 expired link, 2 locked account, 12 wrong password.",
        run(
          "printf '41 wrong password\\n3 expired link\\n2 locked account\\n12 wrong password\\n' | awk '{ c=$1; $1=\"\"; s[$0]+=c } END { for (r in s) print s[r] r }' | sort -rn | tee sign-ins.txt",
        ),
        says(
          "53 wrong passwords, 3 expired links and 2 locked accounts: 58 in all. No account had more than five failures, so this does not look like an attack.",
        ),
      ),
    ],
    "data-wrangler": [
      ask(
        "Clean this list of addresses and tell me how many are duplicates.\n\nada@example.com\nADA@example.com\ngrace@example.com\ngrace@example.com \nlin@example.com",
        run(
          "printf 'ada@example.com\\nADA@example.com\\ngrace@example.com\\ngrace@example.com \\nlin@example.com\\n' > raw.txt && tr 'A-Z' 'a-z' < raw.txt | sed 's/ *$//' | sort -u > clean.txt && wc -l raw.txt clean.txt",
          "Case and spaces at the end make them look different.",
        ),
        run("cat clean.txt"),
        says(
          "Three of five are left: two were duplicates that differed in case or in a space at the end. The clean list is in clean.txt.",
        ),
      ),
      ask(
        "Add up the orders per city:\n\ncity,total\nOslo,120\nPorto,80\nOslo,45\nGhent,60\nPorto,15",
        run(
          "printf 'Oslo,120\\nPorto,80\\nOslo,45\\nGhent,60\\nPorto,15\\n' > orders.csv && awk -F, '{ s[$1]+=$2 } END { for (c in s) print c \",\" s[c] }' orders.csv | sort | tee totals.csv",
        ),
        run("awk -F, '{ s+=$2 } END { print s }' totals.csv", "The sum must be the same before and after."),
        says(
          "Ghent 60, Oslo 165, Porto 95. Together 320, as in the input, so no row was lost. The table is in totals.csv.",
        ),
      ),
      ask(
        "Turn this into JSON: name=Ember, stock=184; name=Pico, stock=28; name=Dune, stock=7",
        run(
          "printf 'Ember 184\\nPico 28\\nDune 7\\n' | jq -R 'split(\" \") | {name: .[0], stock: (.[1] | tonumber)}' | jq -s . > products.json && jq length products.json && cat products.json",
        ),
        says("Done: three products, in products.json. Dune has only seven left."),
      ),
    ],
    "site-checker": [
      ask(
        "Check these titles: all must have fewer than 60 characters.\n\nEmber table lamp, brick red | Lantern & Co\nDune floor lamp in three colours, with a dimmer and a shade of linen | Lantern & Co",
        run(
          "printf 'Ember table lamp, brick red | Lantern & Co\\nDune floor lamp in three colours, with a dimmer and a shade of linen | Lantern & Co\\n' | awk '{ print length($0) \": \" $0 }'",
        ),
        says(
          "One is too long: the title of the Dune has 83 characters. 'Dune floor lamp with dimmer, linen shade | Lantern & Co' has 54.",
        ),
      ),
      ask(
        "Which of these links are duplicates? /lamps/ember /lamps/dune /lamps/ember /returns /lamps/Ember",
        run(
          "printf '%s\\n' /lamps/ember /lamps/dune /lamps/ember /returns /lamps/Ember | tr 'A-Z' 'a-z' | sort | uniq -d",
        ),
        says("/lamps/ember, which is listed twice, and once more as /lamps/Ember."),
      ),
    ],
  };

/** Ends with an error of the model's provider. */
export const failingTask: StoryTurn = ask(
  "Compare the logs of all shops of the last 90 days and list every error.",
  run("ls -la", "I look at what I have first."),
  { failure: { status: 400, message: "prompt is too long: 214368 tokens > 200000 maximum" } },
);

/** Runs for a quarter of an hour. */
export const longTask: StoryTurn = ask(
  "Check the stock table every 20 seconds for a while, and tell me when the Dune is back.",
  ...Array.from({ length: 38 }, (_, index) =>
    run(`sleep 20; echo "check ${index + 1}: Dune 7" | tee -a stock-checks.txt`),
  ),
  says("The Dune was at seven in all checks, so it is not back yet. The checks are in stock-checks.txt."),
);

/** Runs until it is cancelled. */
export const endlessTask: StoryTurn = ask(
  "Watch the log until web-2 recovers.",
  run("sleep 600", "I wait for a line of web-2 without a failure."),
);

/** The tasks of the schedules. */
export const routines = {
  nightly: ask(
    "Summarise the failures of the night in two sentences.",
    run("cat logs/night.txt 2>/dev/null || echo 'no log yet'"),
    says(
      "web-2 failed twice because its disk was full; web-1 had one timeout. Nothing else needs attention before the shop opens.",
    ),
  ),
  weekly: ask(
    "Check that totals.csv still adds up, and report the sum.",
    run("awk -F, '{ s+=$2 } END { print s+0 }' totals.csv 2>/dev/null || echo 0"),
    says("The table adds up. No row was changed since the last check."),
  ),
} as const;

/** The message that the hook makes of an alert. */
export function alertTask(host: string, problem: string): StoryTurn {
  return ask(
    `An alert of ${host}: ${problem}. Say what to look at first.`,
    run(`printf '%s\\n' '${host} ${problem}' >> alerts.txt && grep -c '${host}' alerts.txt`),
    says(
      `Look at the disk of ${host} first. This is noted in alerts.txt, with the earlier alerts of this host.`,
    ),
  );
}

/** Tasks that still wait at the end of the week, behind one that is cancelled. */
export const waitingTasks = [
  "Compare this week's failures with last week's.",
  "Which of our hosts has had no failure for a month?",
  "Make a chart of the failures per weekday, as text.",
] as const;
