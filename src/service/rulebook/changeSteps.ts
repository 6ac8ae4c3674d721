/** What is asked for in one request as steps, in the order in which they can be taken. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Step } from '../../commands/rulebook/decideTogether.ts'
import { Failure, invalidRequest, notFound } from '../../domain/failure.ts'
import { derivedId, isId } from '../../domain/ids.ts'
import { managedRulebook, type ServiceContext } from '../opening/serviceContext.ts'
import { type ChangedIds, placed } from './changedIds.ts'
import { refuseManaged } from './managedGuard.ts'
import { onCondition } from './resourceCommands.ts'
import type { ChangesAsked, KindName, ResourceChange } from './rulebookChanges.ts'
import { flowKind, type OwnKind, recipeKind, ruleKind } from './rulebooks.ts'
import { standInRecipe, standInRule } from './standIns.ts'

/** Changes that are looked at before others have their turn: each may be a rule to compile. */
const atOnce = 10

interface Asked extends ChangesAsked {
  readonly ids: ChangedIds
  readonly command: string
}

/** The steps. What is wrong with the content of one is thrown when it is decided. */
export async function changeSteps(context: ServiceContext, asked: Asked): Promise<readonly Step[]> {
  const { rules = [], recipes = [], flows = [] } = asked.changes
  const known = { context, asked }
  const parts = [
    await stepsOf(known, {
      name: 'rules',
      kind: ruleKind,
      given: rules,
      resolved: (rule) => rule,
      standIn: standInRule,
    }),
    await stepsOf(known, {
      name: 'recipes',
      kind: recipeKind(managedRulebook(context)),
      given: recipes,
      resolved: ({ rules: members, ...recipe }) => ({
        ...recipe,
        rules: members.map((member) => ({
          ...member,
          rule_id: placed(asked.ids, 'rules', member.rule_id),
        })),
      }),
      standIn: standInRecipe,
    }),
    await stepsOf(known, {
      name: 'flows',
      kind: flowKind,
      given: flows,
      resolved: ({ recipes: named, ...flow }) => ({
        ...flow,
        recipes: named.map((id) => placed(asked.ids, 'recipes', id)),
      }),
    }),
  ]
  const deletions = parts.map((part) => part.deletions).reverse()
  return [...parts.flatMap(({ writes }) => writes), ...deletions.flat()]
}

interface Known {
  readonly context: ServiceContext
  readonly asked: Asked
}

interface OfKind<Input, View> {
  readonly name: KindName
  readonly kind: OwnKind<Input, View>
  readonly given: readonly ResourceChange<Input>[]
  /** The content with ids in the place of places. */
  readonly resolved: (content: Input) => Input
  readonly standIn?: (id: string, versionId: string) => NonNullable<Step['standIn']>
}

async function stepsOf<Input, View extends object>(
  known: Known,
  part: OfKind<Input, View>,
): Promise<{ readonly writes: readonly Step[]; readonly deletions: readonly Step[] }> {
  const writes: Step[] = []
  const deletions: Step[] = []
  for (const [index, change] of part.given.entries()) {
    if (index % atOnce === atOnce - 1) await nextTurn()
    if (change.delete) deletions.push(await deletion(known, part, index))
    else writes.push(writing(known, part, index))
  }
  return { writes, deletions }
}

type Decide = Step['decide']

function writing<Input, View extends object>(
  { context, asked }: Known,
  { name, kind, given, resolved, standIn }: OfKind<Input, View>,
  index: number,
): Step {
  const path = `${name}.${index}`
  const change = given[index] ?? {}
  const id = asked.ids[name][index] ?? ''
  const isNew = change.id === undefined
  const versionId = derivedId('ver', asked.command, path)
  const publish = deciding(() => {
    const faults = asked.faults.get(path)
    if (faults || change.content === undefined) throw invalidRequest(faults ?? [])
    const mode = isNew ? 'create' : 'replace'
    return kind.publish({ id, versionId, mode }, resolved(change.content))
  })
  return {
    path,
    decide: (state) => {
      if (!isNew) refuseOthers(context, asked.ids, { name, kind, index })
      return onCondition(conditionOf(change), publish, (now) => kind.view(now, id))(state)
    },
    ...(isNew && standIn && { standIn: standIn(id, versionId) }),
  }
}

async function deletion<Input, View extends object>(
  { context, asked }: Known,
  { name, kind, given }: OfKind<Input, View>,
  index: number,
): Promise<Step> {
  const id = asked.ids[name][index] ?? ''
  const retire = await kind.retire(id)
  return {
    path: `${name}.${index}`,
    decide: (state) => {
      refuseOthers(context, asked.ids, { name, kind, index })
      return onCondition(conditionOf(given[index] ?? {}), retire, (now) => kind.view(now, id))(
        state,
      )
    },
  }
}

function conditionOf({ if_match }: ResourceChange<unknown>) {
  return if_match === undefined ? {} : { ifMatch: [if_match] }
}

/** The decision, or one that throws why there is none. */
function deciding(decide: () => Decide): Decide {
  try {
    return decide()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return () => {
      throw error
    }
  }
}

interface Meant {
  readonly name: KindName
  readonly kind: Pick<OwnKind<never, object>, 'prefix'>
  readonly index: number
}

/** Throws for the id of nothing that the author could change, and for one that stands in the request a second time. */
function refuseOthers(
  context: ServiceContext,
  ids: ChangedIds,
  { name, kind, index }: Meant,
): void {
  const id = ids[name][index] ?? ''
  if (!isId(kind.prefix, id)) throw notFound()
  if (name !== 'flows') refuseManaged(context, name, id)
  if (ids[name].indexOf(id) < index) {
    throw new Failure('invalid_request', 'The request changes this one twice.')
  }
}
