import type { Key } from "@muster/client";
import { TextField } from "../../../parts/field.tsx";
import type { At } from "../../../parts/form.tsx";

/** The monthly limits of a key. */
export function limitFields(at: At, limits?: Key["limits"]) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label="US dollars a month"
        inputMode="decimal"
        placeholder="no limit"
        defaultValue={limits?.monthlyUsd ?? ""}
        {...at("limits.monthlyUsd")}
      />
      <TextField
        label="Tokens a month"
        inputMode="numeric"
        placeholder="no limit"
        defaultValue={limits?.monthlyTokens ?? ""}
        {...at("limits.monthlyTokens")}
      />
    </div>
  );
}
