import assert from "node:assert/strict";
import type { Program } from "@muster/language";
import fc from "fast-check";
import { test } from "vitest";
import { tinyEnvironment } from "../../test/support/arbitrary-contexts.ts";
import { happenings, inputFor } from "../../test/support/arbitrary-happenings.ts";
import { program as anyProgram, libraryOf } from "../../test/support/arbitrary-programs.ts";
import { beginningOf } from "../../test/support/play.ts";
import { withoutApprovals } from "../../test/support/without-approvals.ts";
import { settle } from "../conversation/messages.ts";
import { beginTurn } from "../machine/begin-turn.ts";
import { toUiMessages } from "../shown/ui-messages.ts";
import { fromUiMessages } from "./restore-messages.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 100 * Number(process.env.LONG_RUN ?? 1);

test("a restored conversation shows the same messages, parts and outcomes, in the same order", () => {
  const property = fc.property(
    anyProgram.filter(({ format }) => format === "interactive"),
    fc.array(happenings, { minLength: 1, maxLength: 3 }),
    (program: Program, scripts) => {
      const environment = tinyEnvironment(0);
      const conversation = { messages: [], variables: {}, resources: {} };
      for (const [index, script] of scripts.entries()) {
        const machine = beginTurn(
          {
            ...{ program, conversation, finalLength: 0, executionId: `exe_${index}`, dynamicTools: [] },
            ...{ ...beginningOf(program, "words"), workers: libraryOf(program) },
          },
          environment,
        );
        machine.advance({ type: "start" });
        for (const happening of script) {
          if (machine.frame.phase === "over") break;
          const input = inputFor(machine, happening);
          if (input !== undefined) machine.advance(input);
        }
        settle(conversation);
      }
      for (const view of ["ui", "full"] as const) {
        const shown = withoutApprovals(toUiMessages(conversation, { view }));
        const restored = fromUiMessages(JSON.parse(JSON.stringify(shown)));
        assert.ok(restored.ok, JSON.stringify(restored));
        const { messages } = restored;
        assert.deepEqual(toUiMessages({ messages, variables: {}, resources: {} }, { view }), shown);
      }
    },
  );
  fc.assert(property, { numRuns });
});
