/** Changes a rulebook in many places at once: all of them in one write, or none. */

import { canonicalText } from '../../commands/handling/canonicalText.ts'
import { completeRulebook } from '../../commands/rulebook/completeRulebook.ts'
import { decideTogether, type Step } from '../../commands/rulebook/decideTogether.ts'
import type { Written } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { Warning } from '../../domain/warning.ts'
import type { RulebookEvent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { appendBytesMax, type NewEvent } from '../../stores/eventStore.ts'
import {
  carryOut,
  eventContextOf,
  rulebookStream,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import { type ChangedIds, changedIds } from './changedIds.ts'
import { changedKindsOf } from './changedKinds.ts'
import { changeSteps } from './changeSteps.ts'
import { changeWarnings } from './changeWarnings.ts'
import type {
  ChangedResource,
  ChangedRulebook,
  KindName,
  ResourceChange,
  RulebookChanges,
  RulebookChanging,
} from './rulebookChanges.ts'
import { authorsOf } from './rulebooks.ts'

/** Characters of events that changes may come to, also where they are only looked at: more than one write holds, and less than fills memory. */
const foreseenCharsMax = 16 * appendBytesMax

/**
 * A detail for everything that is wrong with any of the changes, under its place in the request. Throws `access_not_enabled`, what the
 * commands on single resources throw, and `payload_too_large` for more than one write can hold.
 */
export function openChangeRulebook(context: ServiceContext): RulebookChanging['changeRulebook'] {
  const authors = authorsOf(context)
  return async (call, asked) => {
    const account = await authors.accountOf(call)
    const stream = rulebookStream(account)
    const { changes } = asked
    const inputText = call.idempotencyKey === undefined ? '' : await canonicalText(changes)
    const intention = { account, operation: 'rulebook.change', input: changes, inputText }
    const eventContext = eventContextOf(context, call, intention)
    const { command } = eventContext
    const ids = await changedIds(changes, command)
    const steps = await changeSteps(context, { ...asked, account, ids, command })
    // in turn with what is written: each makes a copy of what it looks at
    const decided = { stream, changes, ids, steps }
    if (changes.dry_run) return context.turns.take(stream, () => foresee(context, decided))
    const decide = decideTogether(steps, foreseenCharsMax)
    const handled = await carryOut(within(context), authors.streams, {
      stream,
      context: eventContext,
      decide: async (state) => (await decide(state)).events,
    })
    const { position, events, repeated } = handled
    // a request that comes again made what it made under the ids of then
    const made = await changedIds(changes, handled.command)
    const state = repeated ? await authors.streams.stateAt(stream, position) : handled.state
    const versionOf = versionsIn(context, state)
    const seen = { changes, ids: made, before: state, after: state }
    const warnings = await changeWarnings(context, seen)
    const value = outcome(changes, { ids: made, events, warnings, versionOf })
    const { visible } = await whenVisible(context, call, { position })
    return { value, position, visible }
  }
}

interface Foreseen {
  readonly stream: string
  readonly changes: RulebookChanges
  readonly ids: ChangedIds
  readonly steps: readonly Step[]
}

/** What would become of it. */
async function foresee(
  context: ServiceContext,
  { stream, changes, ids, steps }: Foreseen,
): Promise<Written<ChangedRulebook>> {
  const { state, position } = await context.rulebooks.catchUp(stream)
  const { events, after } = await decideTogether(steps, foreseenCharsMax)(state)
  context.rulebooks.admit(state, events)
  await completeRulebook(context.versionLog, stream, after)
  const warnings = await changeWarnings(context, { changes, ids, before: state, after })
  return { value: outcome(changes, { ids, events, warnings }), position, visible: true }
}

/** The context, with a write that is refused where no store could take it. */
function within(context: ServiceContext): ServiceContext {
  return {
    ...context,
    encode: (events, eventContext) => {
      // looked at before they are encoded: what is refused is not to cost more than what is not
      const chars = events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)
      const encoded = chars > appendBytesMax ? [] : context.encode(events, eventContext)
      const bytes = encoded.reduce((sum, event) => sum + bytesOf(event), 0)
      if (chars <= appendBytesMax && bytes <= appendBytesMax) return encoded
      throw new Failure(
        'payload_too_large',
        'These are more changes than one write can hold; send fewer at a time.',
      )
    },
  }
}

function bytesOf({ data, metadata }: NewEvent): number {
  return Buffer.byteLength(data) + Buffer.byteLength(metadata)
}

type VersionOf = (name: KindName, id: string) => string | undefined

function versionsIn(context: ServiceContext, state: RulebookState): VersionOf {
  const kinds = changedKindsOf(context)
  return (name, id) => (name === 'lists' ? undefined : kinds[name].view(state, id)?.version_id)
}

interface Outcome {
  readonly ids: ChangedIds
  readonly events: readonly RulebookEvent[]
  readonly warnings: readonly Warning[]
  /** Undefined where nothing was written. */
  readonly versionOf?: VersionOf
}

/** What became of each, or what would. */
function outcome(
  changes: RulebookChanges,
  { ids, events, warnings, versionOf }: Outcome,
): ChangedRulebook {
  const touched = new Set(events.map(idOf))
  const of = (name: KindName): readonly ChangedResource[] => {
    const given: readonly ResourceChange<unknown>[] = changes[name] ?? []
    return given.map((change, index) => {
      const id = ids[name][index] ?? ''
      const version = change.delete ? undefined : versionOf?.(name, id)
      return {
        ...((versionOf ?? change.id) && { id }),
        ...(version !== undefined && { version_id: version }),
        changed: touched.has(id),
      }
    })
  }
  const changed = {
    lists: of('lists'),
    rules: of('rules'),
    recipes: of('recipes'),
    flows: of('flows'),
  }
  return { ...changed, ...(warnings.length > 0 && { warnings }) }
}

function idOf({ data }: RulebookEvent): string {
  if ('rule_id' in data) return data.rule_id
  if ('recipe_id' in data) return data.recipe_id
  return 'flow_id' in data ? data.flow_id : data.list_id
}
