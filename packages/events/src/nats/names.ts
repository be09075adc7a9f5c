import type { Subject } from "../subjects.ts";

/** What the bus is called on a server: one stream holds the events of all subjects. */
export interface Names {
  stream: string;
  /** Everything that the stream takes. */
  allSubjects: string;
  subject(subject: Subject): string;
  /** Of a consumer that instances share. */
  sharedConsumer(subject: Subject, consumer: string): string;
  /** Of the consumer of one instance. */
  ownConsumer(subject: Subject, instance: string): string;
}

/** `namespace`: lower-case letters, digits and hyphens; installations that share a server differ in it. */
export function createNames(namespace: string): Names {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(namespace)) {
    throw new TypeError(
      `The NATS namespace is 1 to 40 lower-case letters, digits and hyphens, not "${namespace}"`,
    );
  }
  // Dots separate subjects but are not allowed in names of streams and consumers.
  const dotless = (subject: Subject) => subject.replaceAll(".", "_");
  return {
    stream: `${namespace}_events`,
    allSubjects: `${namespace}.events.>`,
    subject: (subject) => `${namespace}.events.${subject}`,
    sharedConsumer: (subject, consumer) => `shared_${consumer}_${dotless(subject)}`,
    ownConsumer: (subject, instance) => `own_${instance}_${dotless(subject)}`,
  };
}
