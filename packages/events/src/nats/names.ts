import type { Subject } from "../subjects.ts";

/** The bus's names on a server: one stream contains the events of all subjects. */
export interface Names {
  stream: string;
  /** All subjects of the stream. */
  allSubjects: string;
  subject(subject: Subject): string;
  /** Name of a consumer shared by instances. */
  sharedConsumer(subject: Subject, consumer: string): string;
  /** Name of one instance's consumer. */
  ownConsumer(subject: Subject, instance: string): string;
}

/** `namespace`: lower-case letters, digits and hyphens; installations that share a server differ in it. */
export function createNames(namespace: string): Names {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(namespace)) {
    throw new TypeError(
      `The NATS namespace must be 1 to 40 lower-case letters, digits and hyphens, not "${namespace}"`,
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
