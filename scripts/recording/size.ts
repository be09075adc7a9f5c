/** The size of the recorded terminal, in characters. */
export const columns = 96;
export const rows = 24;
