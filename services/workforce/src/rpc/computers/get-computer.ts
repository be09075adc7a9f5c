import { create } from "@bufbuild/protobuf";
import { GetComputerResponseSchema } from "@muster/proto/computers";
import { showMachine } from "../../views/show-machine.ts";
import type { Handler } from "../handler.ts";
import { managedComputer } from "./managed-computer.ts";

export const getComputer: Handler<"getComputer"> = async (context, { computerId }, call) => {
  const machine = await managedComputer(context, computerId, call);
  return create(GetComputerResponseSchema, { computer: await showMachine(context, machine) });
};
