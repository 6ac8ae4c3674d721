/** Saves, deletes and restores rulebook resources: rules, recipes, flows, and managed ones. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import { deriveId, type IdPrefix, managedAccountId } from '../../domain/ids.ts'
import { inputLimits } from '../../domain/jsonSchema.ts'
import { longWork } from '../../domain/load/scheduler.ts'
import type { AccountPrincipal, Principal } from '../../domain/principal.ts'
import type { SaveWarning } from '../../domain/warning.ts'
import type {
  ManagedRulebook,
  ManagedRulebookEvent,
} from '../../events/rulebook/managedRulebook.ts'
import {
  managedStream,
  type RulebookEvent,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import { type AccountStreams, requireAuthoring } from '../accounts/requireAccess.ts'
import { decideIfMatch } from '../handling/decideIfMatch.ts'
import {
  buildEventContext,
  executeCommand,
  readStateAfter,
  waitUntilVisible,
} from '../handling/executeCommand.ts'
import type { FoldedStreamCache } from '../handling/foldedStreamCache.ts'
import type { KnownVersions, VersionRef } from './earlierVersions.ts'
import type { DecidedKind, PublishInput } from './resourceDecisions.ts'
import type { RulebookContext, RulebookStreams } from './rulebookStreams.ts'
import { indexNameWarnings, type NamedEntries } from './rulebookWarnings.ts'

/** The rulebook of an account, as its authors change it. */
export interface OwnRulebookTypes {
  readonly state: RulebookState
  readonly event: RulebookEvent
  readonly caller: AccountPrincipal
}

/** The rulebook of all accounts, as the operator changes it. */
export interface ManagedRulebookTypes {
  readonly state: ManagedRulebook
  readonly event: ManagedRulebookEvent
  readonly caller: Principal
}

export type RulebookTypes = OwnRulebookTypes | ManagedRulebookTypes

/** The callers that may change a rulebook, and its folded streams. */
export interface RulebookAccess<Of extends RulebookTypes> {
  readonly streams: (context: RulebookStreams) => FoldedStreamCache<Of['state'], Of['event']>
  /** The account that the caller reads and writes as. Throws for a caller who may not. */
  readonly requireAccount: (
    context: AccountStreams & Pick<RulebookStreams, 'managed'>,
    call: Call<Of['caller']>,
  ) => Promise<string>
}

/** Authors, each with the rulebook of their account. Throws `access_not_enabled` without authoring. */
export const ownRulebookAccess: RulebookAccess<OwnRulebookTypes> = {
  streams: ({ rulebooks }) => rulebooks,
  requireAccount: async (context, call) => {
    await requireAuthoring(context, call)
    // decisions of customers depend on what is managed
    await context.managed.catchUp(managedStream)
    return call.principal.accountId
  },
}

/** The operator, with the managed rulebook in an account of its own; routes admit no other caller. */
export const managedRulebookAccess: RulebookAccess<ManagedRulebookTypes> = {
  streams: ({ managed }) => managed,
  requireAccount: async () => managedAccountId,
}

type Decide<Of extends RulebookTypes> = (state: Of['state']) => readonly Of['event'][]

/** The id of a resource, as a caller names it. */
export const resourceIdSchema = { type: 'string', minLength: 1, maxLength: inputLimits.id } as const

/** What every resource is shown with. */
export interface ResourceView {
  readonly id: string
  readonly version_id: string
}

/** How one kind of resource is decided on and shown: rules, recipes or flows. */
export interface ResourceDefinition<Input, Of extends RulebookTypes> {
  readonly name: string
  readonly noun: string
  readonly prefix: IdPrefix
  readonly owner: RulebookAccess<Of>
  /** Throws for the id of something that the caller may use but not change. */
  readonly refuse?: (context: RulebookContext, id: string) => void
  /** Versions that the inputs pin and that may not be in memory; absent where none are pinned. */
  readonly pinned?: (
    context: RulebookContext,
    account: string,
    inputs: readonly Input[],
  ) => Promise<KnownVersions>
  readonly publish: (context: RulebookContext, publishing: PublishInput, input: Input) => Decide<Of>
  readonly retire: (context: RulebookContext, id: string) => Decide<Of> | Promise<Decide<Of>>
  readonly restore: (context: RulebookContext, version: VersionRef) => Promise<Decide<Of>>
  /** The resource as its owner sees it; undefined when it does not exist. */
  readonly view: (state: Of['state'], id: string) => ResourceView | undefined
  /** Probable mistakes in it as the state is now; none of what does not exist. */
  readonly warnings: (
    context: RulebookContext,
    state: Of['state'],
    id: string,
  ) => readonly SaveWarning[] | Promise<readonly SaveWarning[]>
  readonly entries: (state: Of['state']) => NamedEntries
}

/** The definition of a kind that is decided on like the others. */
export type DecidedResource<
  Input,
  Content extends object,
  Of extends RulebookTypes,
> = ResourceDefinition<Input, Of> & DecidedKind<Of['state'], Of['event'], Content>

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

/** Creates a resource, or replaces it. Throws what the kind throws, `access_not_enabled`, `not_found`, `precondition_failed`. */
export async function saveResource<Input, Of extends RulebookTypes>(
  context: RulebookContext,
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
      decide: async ({ account, ...ids }) => {
        const known = await kind.pinned?.(context, account, [input])
        return kind.publish(context, { ...ids, mode, known }, input)
      },
    }),
  )
}

/** A resource that is deleted already is no error. Throws `not_found` for one that never was, `precondition_failed`, `…_in_use`. */
export async function deleteResource<Of extends RulebookTypes>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  { kind, id }: ResourceRef<Of>,
): Promise<WriteResult<void>> {
  const { position, visible } = await change(context, call, {
    kind,
    operation: `${kind.name}.remove ${id}`,
    input: null,
    id,
    decide: async () => kind.retire(context, id),
    mayBeGone: true,
  })
  return { value: undefined, position, visible }
}

/** Makes an earlier version current again. Throws `not_found`, `precondition_failed`, and what the kind throws. */
export async function restoreResource<Of extends RulebookTypes>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  { kind, id, versionId }: ResourceRef<Of> & { readonly versionId: string },
): Promise<SavedResource<ResourceView>> {
  return requireSaved(
    await change(context, call, {
      kind,
      operation: `${kind.name}.restore ${id} ${versionId}`,
      input: null,
      id,
      decide: ({ account }) => kind.restore(context, { account, id, versionId }),
    }),
  )
}

interface Change<Of extends RulebookTypes> {
  readonly kind: ResourceDefinition<never, Of>
  readonly operation: string
  readonly input: unknown
  /** Of the resource; undefined for a new one. */
  readonly id: string | undefined
  readonly decide: (version: VersionRef) => Promise<Decide<Of>>
  /** Whether a resource that is deleted already is compared with the call's `If-Match` as nothing, and not refused. */
  readonly mayBeGone?: true
}

/** Carries out a change, and answers with the resource as it is then; undefined when it is deleted. */
async function change<Of extends RulebookTypes>(
  context: RulebookContext,
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
    const decide = await asked.decide({ account, id: idBy(eventContext.command), versionId })
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
    const warnings = [...(await kind.warnings(context, state, id)), ...ofName(id)]
    return { value: view ?? kind.view(state, id), warnings, position }
  })
  const { visible } = await waitUntilVisible(context, changed)
  return { ...changed, visible }
}

/** The result of a change after which the resource exists. */
function requireSaved({ value, ...written }: SavedResource<ResourceView | undefined>) {
  return { ...written, value: requireExisting(value) }
}
