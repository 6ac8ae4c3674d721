/** Creates, replaces, deletes and restores rules, recipes and flows, own or managed. */

import type { Call, Written } from '../../domain/call.ts'
import { mustExist } from '../../domain/failure.ts'
import { derivedId, type IdPrefix, managedAccount } from '../../domain/ids.ts'
import { longWork } from '../../domain/load/longWork.ts'
import type { AccountPrincipal, Principal } from '../../domain/principal.ts'
import { limits } from '../../domain/schema.ts'
import { canonicalJson } from '../../domain/text/canonicalJson.ts'
import type { Warning } from '../../domain/warning.ts'
import type { ManagedEvent, ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import {
  type Entry,
  managedStream,
  type RulebookEvent,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import { type AccountStreams, assertAuthoring } from '../accounts/assertAccess.ts'
import { onCondition } from '../handling/onCondition.ts'
import type { Streams } from '../handling/streams.ts'
import { carryOut, eventContextOf, whenVisible } from '../handling/write.ts'
import type { KnownVersions } from './earlierVersions.ts'
import type { RulebookContext, RulebookStreams } from './rulebookStreams.ts'
import { duplicateIn, type Named, nameWarnings } from './saveWarnings.ts'

/** The rulebook of an account, as its authors change it. */
export interface OwnRulebook {
  readonly state: RulebookState
  readonly event: RulebookEvent
  readonly caller: AccountPrincipal
}

/** The rulebook of all accounts, as the operator changes it. */
export interface SharedRulebook {
  readonly state: ManagedRulebook
  readonly event: ManagedEvent
  readonly caller: Principal
}

export type Rulebook = OwnRulebook | SharedRulebook

/** The callers that may change a rulebook, and its folded streams. */
export interface Owner<Of extends Rulebook> {
  readonly streams: (context: RulebookStreams) => Streams<Of['state'], Of['event']>
  /** The account that the caller reads and writes as. Throws for a caller who may not. */
  readonly accountOf: (
    context: AccountStreams & Pick<RulebookStreams, 'managed'>,
    call: Call<Of['caller']>,
  ) => Promise<string>
}

/** Authors, each with the rulebook of their account. Throws `access_not_enabled` without authoring. */
export const author: Owner<OwnRulebook> = {
  streams: ({ rulebooks }) => rulebooks,
  accountOf: async (context, call) => {
    await assertAuthoring(context, call)
    // decisions of customers depend on what is managed
    await context.managed.catchUp(managedStream)
    return call.principal.accountId
  },
}

/** The operator, with the managed rulebook in an account of its own; routes admit no other caller. */
export const operator: Owner<SharedRulebook> = {
  streams: ({ managed }) => managed,
  accountOf: async () => managedAccount,
}

export type Decide<Of extends Rulebook> = (state: Of['state']) => readonly Of['event'][]

/** What a command that publishes is given beside the content and the id of what has it. */
export interface Publishing {
  /** Of the version that is made when the content is another. */
  readonly versionId: string
  /** Whether the command creates the resource, or it must exist. */
  readonly mode: 'create' | 'replace'
}

interface PublishedIds extends Publishing {
  readonly id: string
  /** Versions that the input pins and that may not be in memory. */
  readonly earlier?: KnownVersions | undefined
}

/** A version of a resource of an account. */
interface VersionOf {
  readonly account: string
  readonly id: string
  readonly versionId: string
}

/** The name of a resource. */
export const resourceName = { type: 'string', minLength: 1, maxLength: limits.name } as const
/** The id of a resource, as a caller names it. */
export const resourceId = { type: 'string', minLength: 1, maxLength: limits.id } as const

/** What every resource is shown with. */
export interface ResourceView {
  readonly id: string
  readonly version_id: string
}

/** How one kind of resource is decided on and shown: rules, recipes or flows. */
export interface Kind<Input, Of extends Rulebook> {
  readonly name: string
  readonly noun: string
  readonly prefix: IdPrefix
  readonly owner: Owner<Of>
  /** Throws for the id of something that the caller may use but not change. */
  readonly refuse?: (context: RulebookContext, id: string) => void
  /** Versions that the inputs pin and that may not be in memory; absent where none are pinned. */
  readonly pinned?: (
    context: RulebookContext,
    account: string,
    inputs: readonly Input[],
  ) => Promise<KnownVersions>
  readonly publish: (context: RulebookContext, ids: PublishedIds, input: Input) => Decide<Of>
  readonly retire: (context: RulebookContext, id: string) => Decide<Of> | Promise<Decide<Of>>
  readonly restore: (context: RulebookContext, version: VersionOf) => Promise<Decide<Of>>
  /** The resource as its owner sees it; undefined when it does not exist. */
  readonly view: (state: Of['state'], id: string) => ResourceView | undefined
  /** Probable mistakes in it as the state is now; none of what does not exist. */
  readonly warnings: (
    context: RulebookContext,
    state: Of['state'],
    id: string,
  ) => readonly Warning[] | Promise<readonly Warning[]>
  readonly named: (state: Of['state']) => Named
}

/** The answer of a command that saved a version, with its probable mistakes as of then. */
export interface Saved<View> extends Written<View> {
  readonly warnings: readonly Warning[]
}

/** Throws what the kind throws, `access_not_enabled`. */
export async function createResource<Input, Of extends Rulebook>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  { kind, input }: { readonly kind: Kind<Input, Of>; readonly input: Input },
): Promise<Saved<ResourceView>> {
  return saved(context, call, {
    kind,
    operation: `${kind.name}.create`,
    input,
    decide: (version) => publish(context, { kind, input, mode: 'create' }, version),
  })
}

interface Replacing<Input, Of extends Rulebook> extends Asked<Of> {
  readonly kind: Kind<Input, Of>
  readonly input: Input
}

/** Throws `not_found`, `precondition_failed` when the call's `ifMatch` does not hold, and as above. */
export async function replaceResource<Input, Of extends Rulebook>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  { kind, id, input }: Replacing<Input, Of>,
): Promise<Saved<ResourceView>> {
  return saved(context, call, {
    kind,
    operation: `${kind.name}.replace ${id}`,
    input,
    id,
    decide: async (version) =>
      onCondition(
        call,
        await publish(context, { kind, input, mode: 'replace' }, version),
        existing(kind, id),
      ),
  })
}

interface Asked<Of extends Rulebook> {
  readonly kind: Kind<never, Of>
  readonly id: string
}

/** A resource that is deleted already is no error. Throws `not_found` for one that never was, `precondition_failed`, `…_in_use`. */
export async function deleteResource<Of extends Rulebook>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  { kind, id }: Asked<Of>,
): Promise<Written<void>> {
  const { position, visible } = await change(context, call, {
    kind,
    operation: `${kind.name}.remove ${id}`,
    input: null,
    id,
    decide: async () =>
      onCondition(call, await kind.retire(context, id), (state) => kind.view(state, id)),
  })
  return { value: undefined, position, visible }
}

/** Makes an earlier version current again. Throws `not_found`, `precondition_failed`, and what the kind throws. */
export async function restoreResource<Of extends Rulebook>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  { kind, id, versionId }: Asked<Of> & { readonly versionId: string },
): Promise<Saved<ResourceView>> {
  return saved(context, call, {
    kind,
    operation: `${kind.name}.restore ${id} ${versionId}`,
    input: null,
    id,
    decide: async ({ account }) =>
      onCondition(
        call,
        await kind.restore(context, { account, id, versionId }),
        existing(kind, id),
      ),
  })
}

async function publish<Input, Of extends Rulebook>(
  context: RulebookContext,
  { kind, input, mode }: Pick<Replacing<Input, Of>, 'kind' | 'input'> & Pick<Publishing, 'mode'>,
  { account, ...ids }: VersionOf,
): Promise<Decide<Of>> {
  const earlier = await kind.pinned?.(context, account, [input])
  return kind.publish(context, { ...ids, mode, earlier }, input)
}

/** The resource in the state that is decided on. Throws `not_found`. */
function existing<Of extends Rulebook>(kind: Kind<never, Of>, id: string) {
  return (state: Of['state']): ResourceView => mustExist(kind.view(state, id))
}

interface Change<Of extends Rulebook> {
  readonly kind: Kind<never, Of>
  readonly operation: string
  readonly input: unknown
  /** Of the resource; undefined for a new one. */
  readonly id?: string
  readonly decide: (version: VersionOf) => Promise<Decide<Of>>
}

async function saved<Of extends Rulebook>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  asked: Change<Of>,
): Promise<Saved<ResourceView>> {
  const { view, ...written } = await change(context, call, asked)
  return { ...written, value: mustExist(view) }
}

async function change<Of extends Rulebook>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  asked: Change<Of>,
) {
  const { kind, id } = asked
  const account = await kind.owner.accountOf(context, call)
  if (id !== undefined) kind.refuse?.(context, id)
  const changed = await longWork(account, () =>
    carryOutChange(context, call, { ...asked, account }),
  )
  const { visible } = await whenVisible(context, { position: changed.position })
  return { ...changed, visible }
}

/** Writes the change, and answers with the resource as it is then; undefined when it is deleted. */
async function carryOutChange<Of extends Rulebook>(
  context: RulebookContext,
  call: Call<Of['caller']>,
  { kind, account, operation, input, decide, ...asked }: Change<Of> & { readonly account: string },
) {
  const streams = kind.owner.streams(context)
  const eventContext = eventContextOf(context, call, { account, operation, input })
  const idBy = (command: string) => asked.id ?? derivedId(kind.prefix, command, kind.name)
  const versionId = derivedId('ver', eventContext.command, kind.name)
  const stream = rulebookStream(account)
  const handled = await carryOut(context, streams, {
    stream,
    context: eventContext,
    decide: await decide({ account, id: idBy(eventContext.command), versionId }),
  })
  const { position, repeated } = handled
  // a command that comes again made what it made under the id it had then
  const id = idBy(handled.command)
  const state = repeated ? await streams.stateAt(stream, position) : handled.state
  const view = repeated ? kind.view(streams.alone(handled.events), id) : undefined
  const warnings = await warningsOf(context, { kind, id }, state)
  return { view: view ?? kind.view(state, id), warnings, position }
}

async function warningsOf<Of extends Rulebook>(
  context: RulebookContext,
  { kind, id }: Asked<Of>,
  state: Of['state'],
): Promise<readonly Warning[]> {
  const named = kind.named(state)
  const name = named.nameOf(id)
  const duplicate = name === undefined ? undefined : duplicateIn(named, id, name)
  return [...(await kind.warnings(context, state, id)), ...nameWarnings(kind.noun, duplicate)]
}

/** Whether the current version has the same content: then there is nothing to publish. */
export function isSame<Content extends object>(
  current: Content | undefined,
  content: Content,
): boolean {
  return current !== undefined && canonicalJson(current) === canonicalJson(content)
}

/** The versions of a resource that are in memory. */
export type KeptVersions<Version> = Pick<Entry<Version>, 'current' | 'versions'>

/** The version that is to be current again. Throws `not_found`. */
export function versionToRestore<Version extends { readonly version_id: string }>(
  kept: KeptVersions<Version> | undefined,
  versionId: string,
  earlier: Version | undefined,
): { readonly version: Version; readonly isCurrent: boolean } {
  const current = mustExist(kept?.current)
  const version = mustExist(kept?.versions.get(versionId) ?? earlier)
  return { version, isCurrent: current.version_id === versionId }
}
