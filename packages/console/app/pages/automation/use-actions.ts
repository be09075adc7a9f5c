import { useMutation } from "@tanstack/react-query";
import { refresh } from "../../api.ts";

/** Requests of buttons, one at a time. The data below the address is read again after each. */
export function useActions(address: string) {
  const action = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSettled: () => refresh(address),
  });
  return { run: action.mutate, error: action.error, isBusy: action.isPending };
}
