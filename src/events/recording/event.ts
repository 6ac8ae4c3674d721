/** Declares events and their metadata: account, actor, request, command, time. */

/** A fact: the name of its type and its data, as the newest version of that type has it. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type
  readonly data: Data
}

/** Who, when and why of an event. The catalogue adds the schema version and the subjects. */
export interface EventContext {
  /** The account the event belongs to. */
  readonly account: string
  /** The token id, or `operator`. */
  readonly actor: string
  readonly request: string
  /** UUID of the command; the event ids are derived from it. */
  readonly command: string
  /**
   * UUID made of a keyed digest of account, operation and `Idempotency-Key`, by which the stream knows the command when
   * it comes again. Absent where the command has a stream of its own: its id is made of the key then, and names the
   * stream.
   */
  readonly key?: string
  /** Keyed digest of the command's input, where the caller gave an `Idempotency-Key`. */
  readonly digest?: string
  /** The event or evaluation this one follows from. */
  readonly causation?: string
  /** Milliseconds since the Unix epoch. */
  readonly time: number
}

/**
 * The epoch of the log format. Before the first release event types change without versions, and this number with them:
 * a log of another epoch is refused at start. After the release it stays.
 */
export const logEpoch = 5

export interface EventMetadata extends EventContext {
  readonly epoch: number
  /** Schema version the data was written in. */
  readonly version: number
  /** Whose personal data is sealed in the event, and under which keys. */
  readonly subjects?: readonly { readonly digest: string; readonly key: string }[]
}

/** Whether an event is Vigil's: other programs may write to the same EventStoreDB. Nothing of theirs is parsed. */
export function isVigilEvent({ metadata }: { readonly metadata: string }): boolean {
  return metadata.includes('"epoch":')
}

/** An event as read back: upcast to the newest version, personal fields still sealed. */
export interface DecodedEvent<Event extends DomainEvent = DomainEvent> {
  /** UUID; absent on an event that was written just now and not read back. */
  readonly id?: string
  readonly event: Event
  readonly metadata: EventMetadata
  readonly stream: string
  readonly revision: number
  readonly position: number
}
