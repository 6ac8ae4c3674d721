/** The commands on versioned resources: made, replaced, removed, and made again what it was. */

import { onCondition } from '../../commands/handling/onCondition.ts'
import type { Streams } from '../../commands/handling/streams.ts'
import type { KnownVersions } from '../../commands/rulebook/withVersions.ts'
import type { Call } from '../../domain/call.ts'
import { mustExist } from '../../domain/failure.ts'
import { derivedId, type IdPrefix } from '../../domain/ids.ts'
import { longWork } from '../../domain/longWork.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Warning } from '../../domain/warning.ts'
import type { DomainEvent } from '../../events/recording/event.ts'
import {
  carryOut,
  eventContextOf,
  rulebookStream,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import { type Named, namesakeIn, nameWarnings } from './namesakes.ts'
import type { VersionedResource } from './versionedResource.ts'

type Decide<State, Event> = (state: State) => readonly Event[]

type Deciding<State, Event> = Decide<State, Event> | Promise<Decide<State, Event>>

/** A resource and a version of it, and whose they are. */
export interface Restoring extends Ids {
  readonly account: string
}

/** Of the resource, and of the version that a change of it makes. */
interface Ids {
  readonly id: string
  readonly versionId: string
}

interface PublishedIds extends Ids {
  /** Versions that the input names and that may not be in memory. */
  readonly earlier?: KnownVersions | undefined
  readonly mode: 'create' | 'replace'
}

/** What differs between rules, recipes and flows. */
export interface Kind<State, Event, Input, View> {
  readonly name: string
  readonly prefix: IdPrefix
  readonly publish: (ids: PublishedIds, input: Input) => Decide<State, Event>
  /** Versions that inputs name and that may not be in memory, of the account; absent where none are named. */
  readonly earlier?: (account: string, inputs: readonly Input[]) => Promise<KnownVersions>
  readonly retire: (id: string) => Deciding<State, Event>
  readonly restore: (restoring: Restoring) => Deciding<State, Event>
  /** The resource as its owner sees it; undefined when it is not there. */
  readonly view: (state: State, id: string) => View | undefined
  /** What in it is probably not what was meant as the state is when this is asked; nothing of what is not there. */
  readonly warnings: (state: State, id: string) => readonly Warning[] | Promise<readonly Warning[]>
  readonly noun: string
  readonly named: (state: State) => Named
}

/** Whose resources they are. */
export interface Owner<Caller extends Principal> {
  /** The account that the caller reads and writes as. Throws for a caller who may not. */
  readonly accountOf: (call: Call<Caller>) => Promise<string>
}

export interface WritingOwner<State, Event extends DomainEvent, Caller extends Principal>
  extends Owner<Caller> {
  readonly streams: Streams<State, Event>
}

/** A change of one resource. */
interface Change<State, Event> {
  readonly operation: string
  readonly input: unknown
  /** Of the resource; undefined for a new one. */
  readonly id?: string
  readonly decide: (ids: Restoring) => Deciding<State, Event>
}

export type ResourceCommands<Input, View, Caller extends Principal> = Pick<
  VersionedResource<Input, View, Caller>,
  'create' | 'replace' | 'remove' | 'restore'
>

/** The commands of one kind, in the rulebook of the owner's account. They throw what `accountOf` and the kind throw. */
export function openResourceCommands<
  State,
  Event extends DomainEvent,
  Input,
  View extends object,
  Caller extends Principal,
>(
  context: ServiceContext,
  kind: Kind<State, Event, Input, View>,
  { accountOf, streams }: WritingOwner<State, Event, Caller>,
): ResourceCommands<Input, View, Caller> {
  const change = async (call: Call<Caller>, asked: Change<State, Event>) => {
    const account = await accountOf(call)
    const changing = { context, kind, streams, call, account }
    const { shown, position } = await longWork(account, () => carryOutChange(changing, asked))
    const { visible } = await whenVisible(context, { position })
    return { shown, position, visible }
  }

  const changed = async (...asked: Parameters<typeof change>) => {
    const { shown, ...written } = await change(...asked)
    return { ...written, value: mustExist(shown.view), warnings: shown.warnings }
  }
  const present = (id: string) => (state: State) => kind.view(state, id)
  const there = (id: string) => (state: State) => mustExist(kind.view(state, id))

  return {
    create: (call, input) =>
      changed(call, {
        operation: `${kind.name}.create`,
        input,
        decide: (ids) => published(kind, { ...ids, mode: 'create' }, input),
      }),
    replace: (call, id, input) =>
      changed(call, {
        operation: `${kind.name}.replace ${id}`,
        input,
        id,
        decide: async (ids) =>
          onCondition(call, await published(kind, { ...ids, mode: 'replace' }, input), there(id)),
      }),
    remove: async (call, id) => {
      const { position, visible } = await change(call, {
        operation: `${kind.name}.remove ${id}`,
        input: null,
        id,
        decide: async () => onCondition(call, await kind.retire(id), present(id)),
      })
      return { value: undefined, position, visible }
    },
    restore: (call, id, versionId) =>
      changed(call, {
        operation: `${kind.name}.restore ${id} ${versionId}`,
        input: null,
        id,
        decide: async ({ account }) =>
          onCondition(call, await kind.restore({ account, id, versionId }), there(id)),
      }),
  }
}

/** The decision to publish, on all that the input names. */
async function published<State, Event, Input, View>(
  kind: Kind<State, Event, Input, View>,
  { account, ...ids }: Restoring & Pick<PublishedIds, 'mode'>,
  input: Input,
): Promise<Decide<State, Event>> {
  return kind.publish({ ...ids, earlier: await kind.earlier?.(account, [input]) }, input)
}

interface Changing<State, Event extends DomainEvent, Input, View, Caller extends Principal> {
  readonly context: ServiceContext
  readonly kind: Kind<State, Event, Input, View>
  readonly streams: Streams<State, Event>
  readonly call: Call<Caller>
  readonly account: string
}

/** Writes the change, and answers how the resource stands with it. */
async function carryOutChange<
  State,
  Event extends DomainEvent,
  Input,
  View,
  Caller extends Principal,
>(
  { context, kind, streams, call, account }: Changing<State, Event, Input, View, Caller>,
  { decide, ...asked }: Change<State, Event>,
): Promise<{ readonly shown: Shown<View>; readonly position: number }> {
  const eventContext = eventContextOf(context, call, { account, ...asked })
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
  const shown = { view: view ?? kind.view(state, id), warnings: await warningsOf(kind, state, id) }
  return { shown, position }
}

/** Of the resource as it stands in the state. */
async function warningsOf<State, Event, Input, View>(
  kind: Kind<State, Event, Input, View>,
  state: State,
  id: string,
): Promise<readonly Warning[]> {
  const named = kind.named(state)
  const name = named.nameOf(id)
  const namesake = name === undefined ? undefined : namesakeIn(named)(id, name)
  return [...(await kind.warnings(state, id)), ...nameWarnings(kind.noun, namesake)]
}

interface Shown<View> {
  /** Undefined when there is nothing any more. */
  readonly view: View | undefined
  readonly warnings: readonly Warning[]
}
