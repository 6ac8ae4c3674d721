/** Remembers the last commands of a stream by `Idempotency-Key`, to recognize repeated ones. */

import { Failure } from '../../domain/failure.ts'
import type {
  DecodedEvent,
  DomainEvent,
  EventContext,
  EventMetadata,
} from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'

/** Events read at a time of a command that is repeated. */
const pageMax = 20

/** By key: the revision of the command's first event, which is all that is in memory of it. */
export type RememberedCommands = Map<string, number>

/** A command that was carried out before, as the log has it. */
export interface CompletedCommand<Event extends DomainEvent> {
  /** UUID of the command, of which the ids of what it made are derived. */
  readonly command: string
  readonly events: readonly Event[]
  /** Of its last event. */
  readonly position: number
}

/** By what the command is known when it comes again; undefined for one that cannot. */
function keyOf(metadata: EventContext): string | undefined {
  // before keys had a name of their own the command's id was made of its key
  return metadata.digest === undefined ? undefined : (metadata.key ?? metadata.command)
}

/** Remembers the command of an event, and forgets the oldest of more than are promised. */
export function rememberCommand(
  commands: RememberedCommands,
  { metadata, revision }: DecodedEvent,
  before: string | undefined,
): void {
  const key = keyOf(metadata)
  if (key === undefined || metadata.command === before) return
  // when a key comes again long after, the later command is remembered
  commands.delete(key)
  commands.set(key, revision)
  for (const oldest of commands.keys()) {
    if (commands.size <= keysKnownMax) return
    commands.delete(oldest)
  }
}

interface Log {
  readonly store: Pick<EventStore, 'readStream'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
}

interface CommandQuery {
  readonly stream: string
  /** The stream to its end. */
  readonly folded: { readonly commands: RememberedCommands; readonly revision: number }
  readonly context: EventContext
}

/**
 * The command of a context, when it was carried out before and its key is not too old; the key of one with a stream of
 * its own, which begins the stream, never is. Throws `idempotency_key_reused` when it had another input.
 */
export async function findCompletedCommand<Event extends DomainEvent>(
  { store, decode }: Log,
  { stream, folded, context }: CommandQuery,
): Promise<CompletedCommand<Event> | undefined> {
  const key = keyOf(context)
  if (key === undefined) return undefined
  const begins = context.key === undefined && folded.revision >= 0 ? 0 : undefined
  const revision = folded.commands.get(key) ?? begins
  if (revision === undefined) return undefined
  const read = async (from: number): Promise<readonly DecodedEvent[]> =>
    (await store.readStream(stream, { from, limit: pageMax })).map(decode)
  let page = await read(revision)
  const [first] = page
  if (!first || keyOf(first.metadata) !== key || isTooOld(first.metadata, context)) return undefined
  const { command, digest } = first.metadata
  if (digest !== context.digest) throw idempotencyKeyReused()
  const isOwn = ({ metadata }: DecodedEvent): boolean => metadata.command === command
  const done = page.filter(isOwn)
  while (page.length > 0 && page.every(isOwn)) {
    page = await read(revision + done.length)
    done.push(...page.filter(isOwn))
  }
  const events = done.map(({ event }) => event as Event)
  return { command, events, position: done.at(-1)?.position ?? first.position }
}

/** The refusal of an `Idempotency-Key` that came before with another request. */
export function idempotencyKeyReused(): Failure {
  const message = 'The Idempotency-Key was used before with another request.'
  return new Failure('idempotency_key_reused', message)
}

function isTooOld(done: EventMetadata, context: EventContext): boolean {
  return context.key !== undefined && context.time - done.time > keyKnownMs
}

/** How long after a command its key is known, by the times of the two commands. */
export const keyKnownMs = 24 * 60 * 60 * 1_000

/** Keys known at a time for one account's rulebook, and for its access and tokens. */
export const keysKnownMax = 1_000
