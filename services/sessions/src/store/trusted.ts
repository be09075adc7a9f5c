/** Only this service writes these texts, and checking 10 MiB of them on every read takes longer than decoding them. */
export const trusted = { enableUtf8Validation: false };
