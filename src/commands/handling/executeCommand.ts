/** Executes a command once per Idempotency-Key: gather, decide, append; builds event contexts. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import { canonicalJson } from '../../domain/text/canonicalJson.ts'
import { uuidV5, uuidV7 } from '../../domain/uuid.ts'
import { type DomainEvent, type EventContext, logEpoch } from '../../events/recording/event.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import type { FoldedStream } from '../../state/folding/streamType.ts'
import type { AppendContext, CommandContext } from './commandContext.ts'

/** How long an answered write waits to be seen by the read models. */
const visibleMs = 1_000

/** How often a command is decided again after another writer was faster; each time one of them has finished. */
const decideMax = 20

export interface Command<
  State,
  Event extends DomainEvent,
  Gathered = undefined,
  Answer = undefined,
> {
  readonly stream: string
  readonly context: EventContext
  /** Reads what the decision needs beside the state, anew for each decision. Throws `Failure` to refuse. */
  readonly gather?: (state: State, nowMs: number) => Promise<Gathered>
  /**
   * Pure and synchronous: what it needs is gathered, what is needed of it is answered. `nowMs` is the time of the
   * context. Throws `Failure` to refuse.
   */
  readonly decide: (state: State, nowMs: number, gathered: Gathered) => Decision<Event, Answer>
}

/** The events that carry a command out, none when nothing has to change; with what its caller needs beside them. */
type Decision<Event, Answer> =
  | readonly Event[]
  | { readonly events: readonly Event[]; readonly answer: Answer }

export interface CommandResult<State, Event, Answer = undefined> {
  /** Of the decision; undefined for a command that was carried out by an earlier call. */
  readonly answer: Answer | undefined
  /** The stream's state with the events folded in. */
  readonly state: State
  /** The events of the command, also when they were appended by an earlier call with the same `Idempotency-Key`. */
  readonly events: readonly Event[]
  readonly position: number
  /** UUID of the command that carried it out; of the earlier call where there was one. */
  readonly command: string
  /** Whether an earlier call had carried the command out. */
  readonly repeated: boolean
}

/** Carries a command out and waits, within a limit, until the read models show it. */
export async function executeAndWait<State, Event extends DomainEvent, Gathered, Answer>(
  context: AppendContext & Pick<CommandContext, 'projections'>,
  streams: FoldedStreamCache<State, Event>,
  command: Command<State, Event, Gathered, Answer>,
): Promise<WriteResult<CommandResult<State, Event, Answer>>> {
  return waitUntilVisible(context, await executeCommand(context, streams, command))
}

interface PresentedCommand<State, Event extends DomainEvent, View, Gathered>
  extends Command<State, Event, Gathered> {
  /** What is answered, of the state right after the command, and the id of the command. */
  readonly present: (state: State, command: string) => View
}

/** Same, answered with what it made of the stream; for a repeated one as it was then. */
export async function executeAndPresent<State, Event extends DomainEvent, View, Gathered>(
  context: AppendContext & Pick<CommandContext, 'projections'>,
  streams: FoldedStreamCache<State, Event>,
  { present, ...command }: PresentedCommand<State, Event, View, Gathered>,
): Promise<WriteResult<View>> {
  const handled = await executeCommand(context, streams, command)
  const { position, repeated } = handled
  const state = repeated ? await streams.stateAt(command.stream, position) : handled.state
  // at once, since the state is folded in place
  const value = present(state, handled.command)
  return { ...(await waitUntilVisible(context, { position })), value }
}

/** Waits, within a limit, until the read models show what was written. */
export async function waitUntilVisible<Value extends { readonly position: number }>(
  { projections }: Pick<CommandContext, 'projections'>,
  value: Value,
): Promise<WriteResult<Value>> {
  const { position } = value
  return { value, position, visible: await projections.waitFor(position, visibleMs) }
}

/**
 * Carries a command out. The state is folded in place, so the caller must take what it needs at once. Throws what
 * `gather` and `decide` throw, `idempotency_key_reused` for a known command with another input, `conflict` when other
 * writers kept being faster, `unavailable` when the store cannot write.
 */
export function executeCommand<State, Event extends DomainEvent, Gathered, Answer>(
  context: AppendContext,
  streams: FoldedStreamCache<State, Event>,
  command: Command<State, Event, Gathered, Answer>,
): Promise<CommandResult<State, Event, Answer>> {
  return context.streamQueue.run(command.stream, () => decideAndAppend(context, streams, command))
}

async function decideAndAppend<State, Event extends DomainEvent, Gathered, Answer>(
  { events: store, encode }: AppendContext,
  streams: FoldedStreamCache<State, Event>,
  command: Command<State, Event, Gathered, Answer>,
): Promise<CommandResult<State, Event, Answer>> {
  const { stream, context } = command
  // what other instances have written counts, too
  let folded = await streams.catchUp(stream)
  for (let attempt = 0; attempt < decideMax; attempt += 1) {
    // 1. A command that was carried out before is answered from its events.
    const done = await streams.findCompletedCommand(stream, folded, context)
    if (done) return { ...done, state: folded.state, repeated: true, answer: undefined }

    // 2. Gather, and decide on a state that nobody else's events have changed meanwhile.
    const decision = await gatherAndDecide(folded, command)
    if (!decision) continue
    const { events } = decision
    const handled = { ...decision, command: context.command, repeated: false }
    if (events.length === 0) return { ...handled, state: folded.state, position: folded.position }

    // 3. Append at the revision the decision was made on.
    const expected = folded.revision < 0 ? 'no_stream' : folded.revision
    const append = { stream, events: encode(events, context), expected } as const
    const appended = await store.append(append).catch((error: unknown) => {
      // the outcome may be unknown: what is cached is read on before it is used again
      streams.invalidate(stream)
      throw error
    })

    // 4. Another writer was faster: read, gather and decide again.
    if (!appended.ok) {
      folded = await streams.catchUp(stream)
      continue
    }

    // 5. Fold what was written.
    const { position } = appended
    const first = appended.revision - events.length + 1
    const metadata = { ...context, epoch: logEpoch, version: 0 }
    streams.fold(
      folded,
      events.map((event, at) => ({ event, metadata, stream, revision: first + at, position })),
    )
    const { state } = await streams.getFolded(stream)
    return { ...handled, state, position }
  }
  throw new Failure('conflict', 'Others kept changing the same thing; try again.', {
    retryAfterSeconds: 1,
  })
}

/** Undefined when events of others have changed the state while the decision's needs were gathered. */
async function gatherAndDecide<State, Event extends DomainEvent, Gathered, Answer>(
  folded: FoldedStream<State>,
  { gather, decide, context }: Command<State, Event, Gathered, Answer>,
) {
  const { revision } = folded
  const gathered = (await gather?.(folded.state, context.time)) as Gathered
  if (folded.revision !== revision) return undefined
  const decided = decide(folded.state, context.time, gathered)
  return 'events' in decided ? decided : { events: decided, answer: undefined }
}

/** The state right after a command; for a repeated one as it was then, whatever has changed since. */
export async function readStateAfter<State, Event extends DomainEvent>(
  streams: FoldedStreamCache<State, Event>,
  stream: string,
  result: Pick<CommandResult<State, Event>, 'state' | 'repeated' | 'position'>,
): Promise<State> {
  return result.repeated ? streams.stateAt(stream, result.position) : result.state
}

/** Namespace of the keys of commands that an `Idempotency-Key` gives. */
const namespace = '8f6a5e0c-5b0e-5d4e-9c57-1f0b2f6d7a31'

/** The request of a command, as its route has parsed it. */
export interface CommandRequest {
  /** The account it changes. */
  readonly account: string
  /** What is to be done, and to what: `rules.replace rul_…`. */
  readonly operation: string
  /** Everything the outcome depends on; compared when the same key comes again. */
  readonly input: unknown
  /** The canonical text of a large `input`, where it was made before. */
  readonly inputText?: string
  /** Whether the command makes a stream of its own, named by the command's id: its key is then known for ever. */
  readonly ownStream?: boolean
}

type RequestContext = Pick<CommandContext, 'clock' | 'random'> & {
  readonly keyring: Pick<CommandContext['keyring'], 'digest'>
}

/**
 * The context of a call's command. With an `Idempotency-Key` it has a key that depends on the account, the operation
 * and the caller's key alone, so that the same command sent twice is known by it. The command's id is a new UUIDv7, so
 * that a command whose key was forgotten makes things of its own; that of one with a stream of its own is the key.
 */
export function buildEventContext(
  { clock, random, keyring }: RequestContext,
  { principal, requestId, idempotencyKey }: Call<Principal>,
  { account, operation, input, inputText, ownStream = false }: CommandRequest,
): EventContext {
  const command = uuidV7(clock, random)
  const actor = findActor(principal)
  const time = clock.nowMs()
  const unkeyed = { account, actor, request: requestId, time, command }
  if (idempotencyKey === undefined) return unkeyed
  // keyed, since callers put phone numbers into the header: what stands in the log must not let them be found by trying
  const known = JSON.stringify([account, operation, idempotencyKey])
  const key = uuidV5(namespace, keyring.digest('command', known))
  const digest = keyring.digest('request', inputText ?? canonicalJson(input))
  return ownStream ? { ...unkeyed, command: key, digest } : { ...unkeyed, key, digest }
}

/** The context of a command that another brings about: with an id of its own, known by no key. */
export function buildFollowUpContext(
  { clock, random }: Pick<CommandContext, 'clock' | 'random'>,
  { account, actor, request, time }: EventContext,
): EventContext {
  return { account, actor, request, time, command: uuidV7(clock, random) }
}

/** The caller in the metadata of the events. */
function findActor(principal: Principal): string {
  switch (principal.kind) {
    case 'operator':
      return 'operator'
    case 'account':
      return principal.tokenId
    case 'front_end':
      return principal.keyId
    case 'user':
      return principal.userId
    case 'application':
      return principal.appId
  }
}
