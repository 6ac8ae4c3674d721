/** Changes many resources of a rulebook in one write: all of them, or none. */

import type { Call, WriteResult } from '../../../domain/call.ts'
import { Failure } from '../../../domain/failure.ts'
import { longWork, pauseLongWork, runInSlices } from '../../../domain/load/scheduler.ts'
import type { Steps } from '../../../domain/load/steps.ts'
import { canonicalJson } from '../../../domain/text/canonicalJson.ts'
import type { SaveWarning } from '../../../domain/warning.ts'
import {
  type RulebookEvent,
  type RulebookState,
  rulebookStream,
} from '../../../events/rulebook/rulebook.ts'
import { readResourceId } from '../../../events/rulebook/versionEvents.ts'
import { flowDefinition } from '../../../state/rulebook/flows.ts'
import { recipeDefinition } from '../../../state/rulebook/recipes.ts'
import type {
  OwnRulebookTypes,
  ResourceDefinition,
} from '../../../state/rulebook/resourceDefinition.ts'
import { ownRulebookAccess } from '../../../state/rulebook/resourceDefinition.ts'
import { assertRulebookLimits } from '../../../state/rulebook/rulebookStreams.ts'
import { indexNameWarnings } from '../../../state/rulebook/rulebookWarnings.ts'
import { ruleDefinition } from '../../../state/rulebook/rules.ts'
import { appendBytesMax } from '../../../stores/eventStore.ts'
import {
  buildEventContext,
  executeCommand,
  readStateAfter,
  waitUntilVisible,
} from '../../handling/executeCommand.ts'
import type { RulebookWriteContext } from '../rulebookResources.ts'
import { buildChangeSteps } from './buildChangeSteps.ts'
import { countEventChars, decideAllSteps } from './decideAllSteps.ts'
import {
  type ChangedResource,
  type ChangedRulebook,
  type ChangesInput,
  deriveResourceIds,
  getChangesOfKind,
  mapResourceKinds,
  type ResourceIds,
  type RulebookChanges,
  resourceKinds,
} from './rulebookChanges.ts'

/** Warnings of one answer. */
const warningsMax = 1_000

/** Characters of events of one change, also in a dry run: more than one write holds, less than fills memory. */
const foreseenCharsMax = 16 * appendBytesMax

/** The kinds that have versions, in the order in which one can refer to another. */
const kinds = { rules: ruleDefinition, recipes: recipeDefinition, flows: flowDefinition }

/**
 * Throws one failure with a detail for every fault of any of the changes, under its path in the request:
 * `access_not_enabled`, what the commands on single resources throw, and `payload_too_large` when the events exceed one
 * write.
 */
export async function changeRulebook(
  context: RulebookWriteContext,
  call: Call,
  asked: ChangesInput,
): Promise<WriteResult<ChangedRulebook>> {
  const account = await ownRulebookAccess.requireAccount(context, call)
  const changed = await longWork(context, account, () =>
    change(context, call, { ...asked, account }),
  )
  if (asked.changes.dry_run) return { ...changed, visible: true }
  const { visible } = await waitUntilVisible(context, changed)
  return { ...changed, visible }
}

/** Writes the changes; of a dry run only finds the result that the request would have. */
async function change(
  context: RulebookWriteContext,
  call: Call,
  asked: ChangesInput & { readonly account: string },
) {
  const { account, changes } = asked
  const { rulebooks } = context
  const stream = rulebookStream(account)
  const isRepeatable = call.idempotencyKey !== undefined
  const inputText = isRepeatable ? await runInSlices(context, buildCanonicalText(changes)) : ''
  const intention = { account, operation: 'rulebook.change', input: changes, inputText }
  const eventContext = buildEventContext(context, call, intention)
  const { command } = eventContext
  const ids = deriveResourceIds(changes, command)
  const steps = await buildChangeSteps(context, { ...asked, ids, command })
  const decide = decideAllSteps(steps, foreseenCharsMax)
  if (changes.dry_run) {
    const { state: before, position } = await rulebooks.catchUp(stream)
    const { events, after } = await runInSlices(context, decide(before))
    assertRulebookLimits(before, events)
    return {
      value: await buildResult(context, { ...{ account, changes, ids, events }, before, after }),
      position,
    }
  }
  const handled = await executeCommand(withLimitedWrite(context), rulebooks, {
    stream,
    context: eventContext,
    // the steps are decided in slices: on the state that they were decided on, that is the decision
    gather: (state) => runInSlices(context, decide(state)),
    decide: (state, _, { events }) => {
      assertRulebookLimits(state, events)
      return events
    },
  })
  const { events, position } = handled
  const after = await readStateAfter(rulebooks, stream, handled)
  // a request that comes again made what it made under the ids of then
  const made = deriveResourceIds(changes, handled.command)
  const changed = { account, changes, ids: made, events, before: after, after }
  return { value: await buildResult(context, changed), position }
}

/** The context, with a write that is refused where no store could take it. */
function withLimitedWrite(context: RulebookWriteContext): RulebookWriteContext {
  return {
    ...context,
    encode: (events, eventContext) => {
      // counted before encoding, so that a refused request costs no more than an accepted one
      if (countEventChars(events) <= appendBytesMax) return context.encode(events, eventContext)
      throw new Failure(
        'payload_too_large',
        'These are more changes than one write can hold; send fewer at a time.',
      )
    },
  }
}

interface Changed {
  readonly account: string
  readonly changes: RulebookChanges
  readonly ids: ResourceIds
  readonly events: readonly RulebookEvent[]
  /** The rulebook before the events, and with them. */
  readonly before: RulebookState
  readonly after: RulebookState
}

/** The result of each change; a dry run tells no ids of what is not there. */
async function buildResult(
  context: RulebookWriteContext,
  changed: Changed,
): Promise<ChangedRulebook> {
  const { changes, ids, events, after } = changed
  const isWritten = !changes.dry_run
  const touched = new Set(events.map(readResourceId))
  const results = mapResourceKinds((name) =>
    getChangesOfKind(changes, name).map((change, index): ChangedResource => {
      const id = ids[name][index] ?? ''
      const isVersioned = isWritten && !change.delete && name !== 'lists'
      const version = isVersioned ? kinds[name].view(after, id)?.version_id : undefined
      return {
        ...((isWritten || change.id !== undefined) && { id }),
        ...(version !== undefined && { version_id: version }),
        changed: touched.has(id),
      }
    }),
  )
  const warnings = await listChangeWarnings(context, changed)
  return { ...results, ...(warnings.length > 0 && { warnings }) }
}

/** The warnings of everything that was written, each under its path in the request. */
async function listChangeWarnings(
  context: RulebookWriteContext,
  { account, ids, before, after }: Changed,
): Promise<readonly SaveWarning[]> {
  const warnings: SaveWarning[] = []
  for (const name of ['rules', 'recipes', 'flows'] as const) {
    if (ids[name].length === 0) continue
    const kind: Pick<
      ResourceDefinition<never, OwnRulebookTypes>,
      'warnings' | 'noun' | 'entries'
    > = kinds[name]
    const entries = kind.entries(after)
    const names = new Map(ids[name].map((id) => [id, entries.get(id)?.current?.name]))
    const ofName = indexNameWarnings(kind.noun, kind.entries(before), names)
    for (const [index, id] of ids[name].entries()) {
      await pauseLongWork(context)
      // it is deleted
      if (names.get(id) === undefined) continue
      const found = await kind.warnings(context, after, { account, id })
      for (const warning of [...found, ...ofName(id)]) {
        warnings.push({ ...warning, path: `${name}.${index}.content.${warning.path}` })
      }
    }
  }
  return warnings.slice(0, warningsMax)
}

/** The canonical text of the changes, one at each step. */
function* buildCanonicalText(changes: RulebookChanges): Steps<string> {
  const texts: string[] = []
  for (const name of resourceKinds) {
    for (const change of getChangesOfKind(changes, name)) {
      texts.push(`${name} ${canonicalJson(change)}`)
      yield
    }
  }
  return texts.join('\n')
}
