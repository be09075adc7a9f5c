import type { Schedule, UpdateScheduleRequest } from "@muster/client";
import { useState } from "react";
import { Field, inputShape, TextField } from "../../../parts/field.tsx";
import { type At, textIn } from "../../../parts/form.tsx";
import { SelectField } from "../../../parts/select-field.tsx";
import { cronInWords } from "./cron-in-words.ts";

const zones = Intl.supportedValuesOf("timeZone");
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The settings of a schedule; those of a new one have defaults. */
export function scheduleFields(at: At, schedule?: Schedule) {
  return (
    <>
      <TextField label="Name" autoComplete="off" defaultValue={schedule?.name} {...at("name")} />
      <Times cron={at("cron")} once={at("at")} schedule={schedule} />
      <TextField
        label="Time zone"
        list="time-zones"
        autoComplete="off"
        defaultValue={schedule?.timezone ?? ownZone}
        hint="An IANA name, such as Europe/Berlin."
        {...at("timezone")}
      />
      <datalist id="time-zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Field label="Message" hint="What the agent is to do." {...at("message")}>
        {(controls) => <textarea {...controls} name="message" rows={4} defaultValue={schedule?.message} />}
      </Field>
      <SelectField
        label="While the previous run has not ended"
        choices={[
          ["skip", "skip the time"],
          ["queue", "wait for its end"],
        ]}
        chosen={schedule?.overlap}
        {...at("overlap")}
      />
      <SelectField
        label="Times that the server has missed"
        choices={[
          ["skip", "run none of them"],
          ["once", "run the last one late"],
        ]}
        chosen={schedule?.misfire}
        {...at("misfire")}
      />
    </>
  );
}

interface TimesProps {
  cron: ReturnType<At>;
  once: ReturnType<At>;
  schedule: Schedule | undefined;
}

function Times({ cron, once, schedule }: TimesProps) {
  const [kind, setKind] = useState(schedule?.at ? "once" : "again");
  const [text, setText] = useState(schedule?.cron ?? "");
  const words = cronInWords(text);
  return (
    <>
      <SelectField
        label="Runs"
        name="kind"
        path=""
        error={null}
        choices={[
          ["again", "repeatedly"],
          ["once", "once"],
        ]}
        chosen={kind}
        onChoose={setKind}
      />
      {kind === "once" ? (
        <TextField
          label="At"
          // The other type of input takes no offset from UTC.
          type={(schedule?.at ?? "").length > 16 ? "text" : "datetime-local"}
          defaultValue={schedule?.at ?? ""}
          {...once}
        />
      ) : (
        <TextField
          label="Cron"
          autoComplete="off"
          className={`${inputShape} font-mono`}
          placeholder="0 9 * * 1-5"
          value={text}
          onChange={({ target }) => setText(target.value)}
          hint={
            words === undefined ? "Minute, hour, day of the month, month, day of the week." : `Runs ${words}.`
          }
          {...cron}
        />
      )}
    </>
  );
}

/** The settings in a form. */
export function scheduleIn(values: FormData) {
  const times =
    values.get("kind") === "once"
      ? { at: textIn(values, "at") ?? "" }
      : { cron: textIn(values, "cron") ?? "" };
  return {
    ...times,
    name: textIn(values, "name") ?? "",
    timezone: textIn(values, "timezone") ?? "",
    message: textIn(values, "message") ?? "",
    overlap: values.get("overlap") === "queue" ? "queue" : "skip",
    misfire: values.get("misfire") === "once" ? "once" : "skip",
  } satisfies UpdateScheduleRequest;
}
