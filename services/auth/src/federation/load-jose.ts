/** Loads what reads and verifies JWTs, when the first one arrives or a second after the start. */
export const loadJose = () => import("jose");
