/** Saves, deletes and restores rulebook resources: rules, recipes, flows, and managed ones. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import { longWork } from '../../domain/load/scheduler.ts'
import type { SaveWarning } from '../../domain/warning.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import type { VersionRef } from '../../state/rulebook/earlierVersions.ts'
import type {
  Decide,
  ResourceDefinition,
  ResourceView,
  RulebookTypes,
} from '../../state/rulebook/resourceDefinition.ts'
import type { RulebookContext } from '../../state/rulebook/rulebookStreams.ts'
import { indexNameWarnings } from '../../state/rulebook/rulebookWarnings.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { decideIfMatch } from '../handling/decideIfMatch.ts'
import {
  buildEventContext,
  executeCommand,
  readStateAfter,
  waitUntilVisible,
} from '../handling/executeCommand.ts'

/** What changing rulebooks takes. */
export type RulebookWriteContext = WriteContext & RulebookContext

/** The answer of a command that saved a version, with its probable mistakes as of then. */
export interface SavedResource<View> extends WriteResult<View> {
  readonly warnings: readonly SaveWarning[]
}

interface ResourceRef<Of extends RulebookTypes> {
  readonly kind: ResourceDefinition<never, Of>
  readonly id: string
}

interface SaveInput<Input, Of extends RulebookTypes> {
  readonly kind: ResourceDefinition<Input, Of>
  /** Of the resource to replace; undefined for a new one. */
  readonly id?: string
  readonly input: Input
}

/** Creates or replaces. Throws what the kind throws, `access_not_enabled`, `not_found`, `precondition_failed`. */
export async function saveResource<Input, Of extends RulebookTypes>(
  context: RulebookWriteContext,
  call: Call<Of['caller']>,
  { kind, id, input }: SaveInput<Input, Of>,
): Promise<SavedResource<ResourceView>> {
  const mode = id === undefined ? 'create' : 'replace'
  return requireSaved(
    await change(context, call, {
      kind,
      operation: `${kind.name}.${mode}${id === undefined ? '' : ` ${id}`}`,
      input,
      id,
      prepare: async ({ account, ...ids }) => {
        const known = await kind.pinned?.(context, account, [input])
        return kind.publish(context, { ...ids, mode, known }, input)
      },
    }),
  )
}

/** Repeating it is no error. Throws `not_found` for one that never was, `precondition_failed`, `…_in_use`. */
export async function deleteResource<Of extends RulebookTypes>(
  context: RulebookWriteContext,
  call: Call<Of['caller']>,
  { kind, id }: ResourceRef<Of>,
): Promise<WriteResult<void>> {
  const { position, visible } = await change(context, call, {
    kind,
    operation: `${kind.name}.remove ${id}`,
    input: null,
    id,
    prepare: async () => kind.retire(context, id),
    mayBeGone: true,
  })
  return { value: undefined, position, visible }
}

/** Makes an earlier version current again. Throws `not_found`, `precondition_failed`, and what the kind throws. */
export async function restoreResource<Of extends RulebookTypes>(
  context: RulebookWriteContext,
  call: Call<Of['caller']>,
  { kind, id, versionId }: ResourceRef<Of> & { readonly versionId: string },
): Promise<SavedResource<ResourceView>> {
  return requireSaved(
    await change(context, call, {
      kind,
      operation: `${kind.name}.restore ${id} ${versionId}`,
      input: null,
      id,
      prepare: ({ account }) => kind.restore(context, { account, id, versionId }),
    }),
  )
}

interface Change<Of extends RulebookTypes> {
  readonly kind: ResourceDefinition<never, Of>
  readonly operation: string
  readonly input: unknown
  /** Of the resource; undefined for a new one. */
  readonly id: string | undefined
  /** Reads what the decision needs, and answers the decision. */
  readonly prepare: (version: VersionRef) => Promise<Decide<Of>>
  /** Whether a resource that is deleted already is compared with the call's `If-Match` as nothing, and not refused. */
  readonly mayBeGone?: true
}

/** Carries out a change, and answers with the resource as it is then; undefined when it is deleted. */
async function change<Of extends RulebookTypes>(
  context: RulebookWriteContext,
  call: Call<Of['caller']>,
  { kind, operation, input, id: given, ...asked }: Change<Of>,
): Promise<SavedResource<ResourceView | undefined>> {
  const account = await kind.owner.requireAccount(context, call)
  if (given !== undefined) kind.refuse?.(context, given)
  const streams = kind.owner.streams(context)
  const stream = rulebookStream(account)
  const changed = await longWork(context, account, async () => {
    const eventContext = buildEventContext(context, call, { account, operation, input })
    const idBy = (command: string) => given ?? deriveId(kind.prefix, command, kind.name)
    const versionId = deriveId('ver', eventContext.command, kind.name)
    const prepared = await asked.prepare({ account, id: idBy(eventContext.command), versionId })
    const decide: Decide<Of> = (state) => {
      const events = prepared(state)
      kind.owner.assertLimits?.(state, events)
      return events
    }
    const present = (state: Of['state']) => {
      const view = kind.view(state, given ?? '')
      return asked.mayBeGone ? view : requireExisting(view)
    }
    const handled = await executeCommand(context, streams, {
      stream,
      context: eventContext,
      decide: given === undefined ? decide : decideIfMatch(call, decide, present),
    })
    const { events, repeated, position } = handled
    // a command that comes again made what it made under the id it had then
    const id = idBy(handled.command)
    const state = await readStateAfter(streams, stream, handled)
    const view = repeated ? kind.view(streams.foldFromInitial(events), id) : undefined
    const entries = kind.entries(state)
    const names = new Map([[id, entries.get(id)?.current?.name]])
    const ofName = indexNameWarnings(kind.noun, entries, names)
    const warnings = [...(await kind.warnings(context, state, { account, id })), ...ofName(id)]
    return { value: view ?? kind.view(state, id), warnings, position }
  })
  const { visible } = await waitUntilVisible(context, changed)
  return { ...changed, visible }
}

/** The result of a change after which the resource exists. */
function requireSaved({ value, ...written }: SavedResource<ResourceView | undefined>) {
  return { ...written, value: requireExisting(value) }
}
