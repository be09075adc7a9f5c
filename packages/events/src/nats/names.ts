import type { Subject } from "../subjects.ts";

/** The bus's names on a server: one stream contains the events of all subjects. */
export type Names = ReturnType<typeof createNames>;

/** `namespace`: lower-case letters, digits and hyphens; installations that share a server differ in it. */
export function createNames(namespace: string) {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(namespace)) {
    throw new TypeError(
      `The NATS namespace must be 1 to 40 lower-case letters, digits and hyphens, not "${namespace}"`,
    );
  }
  // Dots separate subjects but are not allowed in names of streams and consumers.
  const dotless = (subject: Subject) => subject.replaceAll(".", "_");
  return {
    stream: `${namespace}_events`,
    /** All subjects of the stream. */
    allSubjects: `${namespace}.events.>`,
    subject: (subject: Subject) => `${namespace}.events.${subject}`,
    /** Name of a consumer shared by instances. */
    sharedConsumer: (subject: Subject, consumer: string) => `shared_${consumer}_${dotless(subject)}`,
    /** Name of one instance's consumer. */
    ownConsumer: (subject: Subject, instance: string) => `own_${instance}_${dotless(subject)}`,
  };
}
