/** Converts the changes of one request into steps, in an order in which they can be decided. */

import { Failure, invalidRequest, notFound } from '../../../domain/failure.ts'
import { derivedId, idPrefixes, isId } from '../../../domain/ids.ts'
import { pause } from '../../../domain/load/longWork.ts'
import type { NamedList } from '../../../events/rulebook/namedLists.ts'
import type { RulebookEvent, RulebookState } from '../../../events/rulebook/rulebook.ts'
import { onCondition } from '../../handling/onCondition.ts'
import { compileRule } from '../compileRule.ts'
import type { KnownVersions } from '../earlierVersions.ts'
import { flowKind } from '../flows.ts'
import { decideCreation, decideDeletion, restateList } from '../namedLists.ts'
import { recipeKind } from '../recipes.ts'
import type { Kind, OwnRulebook } from '../resources.ts'
import type { RulebookContext } from '../rulebookStreams.ts'
import { ruleKind } from '../rules.ts'
import type { Step } from './decideTogether.ts'
import {
  type ChangedIds,
  type ChangesAsked,
  idAt,
  type KindName,
  type ResourceChange,
} from './rulebookChanges.ts'

const text = 'true'
const expression = compileRule(text)

/** What a change needs of its kind. */
interface ChangedKind<Input>
  extends Pick<Kind<Input, OwnRulebook>, 'prefix' | 'refuse' | 'pinned' | 'publish' | 'retire'> {
  readonly view: (state: RulebookState, id: string) => object | undefined
}

const pinsEarlier =
  'The request pins earlier versions of rules, which may ask the list; delete it in a request of its own.'

/** Lists, without their entries. They have no versions. */
const listKind: ChangedKind<NamedList> = {
  prefix: idPrefixes.list,
  publish: (_, { id, mode }, list) =>
    mode === 'create' ? decideCreation(id, list) : restateList(id, list),
  retire: (_, id) => (state) => {
    // what is pinned only now is not in memory yet, and may ask the list
    if (state.lacking.size > 0) throw new Failure('conflict', pinsEarlier)
    return decideDeletion(id)(state)
  },
  view: ({ lists }, id) => {
    const list = lists.get(id)
    return list && { id, ...list }
  },
}

interface Asked extends ChangesAsked {
  /** Whose rulebook it is. */
  readonly account: string
  readonly ids: ChangedIds
  readonly command: string
}

/** The steps. A fault in the content of one is thrown when it is decided. */
export async function changeSteps(
  context: RulebookContext,
  asked: Asked,
): Promise<readonly Step[]> {
  const { lists = [], rules = [], recipes = [], flows = [] } = asked.changes
  const known = { context, asked, firsts: firstIndexes(asked.ids) }
  const parts = [
    await stepsOf(known, {
      name: 'lists',
      kind: listKind,
      given: lists,
      resolved: (list) => list,
      substitute: ({ id }, content) => content && substituteList(id, content),
    }),
    await stepsOf(known, {
      name: 'rules',
      kind: ruleKind,
      given: rules,
      resolved: (rule) => rule,
      substitute: ({ id, versionId }) => substituteRule(id, versionId),
    }),
    await stepsOf(known, {
      name: 'recipes',
      kind: recipeKind,
      given: recipes,
      resolved: ({ rules: members, ...recipe }) => ({
        ...recipe,
        rules: members.map((member) => ({
          ...member,
          rule_id: idAt(asked.ids, 'rules', member.rule_id),
        })),
      }),
      substitute: ({ id, versionId }) => substituteRecipe(id, versionId),
    }),
    await stepsOf(known, {
      name: 'flows',
      kind: flowKind,
      given: flows,
      resolved: ({ recipes: named, ...flow }) => ({
        ...flow,
        recipes: named.map((id) => idAt(asked.ids, 'recipes', id)),
      }),
    }),
  ]
  const deletions = parts.map((part) => part.deletions).reverse()
  return [...parts.flatMap(({ writes }) => writes), ...deletions.flat()]
}

interface Known {
  readonly context: RulebookContext
  readonly asked: Asked
  /** Where each id stands first. */
  readonly firsts: Readonly<Record<KindName, ReadonlyMap<string, number>>>
}

function firstIndexes({ lists, rules, recipes, flows }: ChangedIds): Known['firsts'] {
  const firsts = (ids: readonly string[]) =>
    new Map(ids.map((id, index) => [id, index] as const).reverse())
  return {
    lists: firsts(lists),
    rules: firsts(rules),
    recipes: firsts(recipes),
    flows: firsts(flows),
  }
}

interface Ids {
  readonly id: string
  readonly versionId: string
}

interface OfKind<Input> {
  readonly name: KindName
  readonly kind: ChangedKind<Input>
  readonly given: readonly ResourceChange<Input>[]
  /** The content with ids in the place of places. */
  readonly resolved: (content: Input) => Input
  /** Given the content unless there is a fault in it. */
  readonly substitute?: (ids: Ids, content: Input | undefined) => Step['substitute']
}

interface Prepared<Input> extends OfKind<Input> {
  /** Versions that what is to be saved names and that may not be in memory. */
  readonly earlier: KnownVersions | undefined
}

async function stepsOf<Input>(
  known: Known,
  part: OfKind<Input>,
): Promise<{ readonly writes: readonly Step[]; readonly deletions: readonly Step[] }> {
  const writes: Step[] = []
  const deletions: Step[] = []
  // of a content with a fault nothing is known but that
  const contents = part.given.flatMap(({ content }, index) =>
    content === undefined || known.asked.faults.has(`${part.name}.${index}`) ? [] : [content],
  )
  const earlier = await part.kind.pinned?.(known.context, known.asked.account, contents)
  for (const [index, change] of part.given.entries()) {
    await pause()
    if (change.delete) deletions.push(await deletion(known, part, index))
    else writes.push(writing(known, { ...part, earlier }, index))
  }
  return { writes, deletions }
}

type Decide = Step['decide']

function writing<Input>(
  known: Known,
  { name, kind, given, resolved, substitute, earlier }: Prepared<Input>,
  index: number,
): Step {
  const { asked } = known
  const path = `${name}.${index}`
  const change = given[index] ?? {}
  const faults = asked.faults.get(path)
  const id = asked.ids[name][index] ?? ''
  const isNew = change.id === undefined
  const versionId = derivedId('ver', asked.command, path)
  // compiled when it is decided on, so that of many changes one at a time is held in all its parts
  const publish: Decide = (state) => {
    if (faults || change.content === undefined) throw invalidRequest(faults ?? [])
    const mode = isNew ? 'create' : 'replace'
    return kind.publish(
      known.context,
      { id, versionId, mode, earlier },
      resolved(change.content),
    )(state)
  }
  const substituted = isNew && substitute?.({ id, versionId }, faults ? undefined : change.content)
  return {
    path,
    decide: (state) => {
      if (!isNew) refuseOthers(known, { name, kind, index })
      return onCondition(conditionOf(change), publish, (now) => kind.view(now, id))(state)
    },
    ...(substituted && { substitute: substituted }),
  }
}

async function deletion<Input>(
  known: Known,
  { name, kind, given }: OfKind<Input>,
  index: number,
): Promise<Step> {
  const id = known.asked.ids[name][index] ?? ''
  const retire = await kind.retire(known.context, id)
  return {
    path: `${name}.${index}`,
    decide: (state) => {
      refuseOthers(known, { name, kind, index })
      return onCondition(conditionOf(given[index] ?? {}), retire, (now) => kind.view(now, id))(
        state,
      )
    },
  }
}

function conditionOf({ if_match }: ResourceChange<unknown>) {
  return if_match === undefined ? {} : { ifMatch: [if_match] }
}

interface Meant {
  readonly name: KindName
  readonly kind: Pick<ChangedKind<never>, 'prefix' | 'refuse'>
  readonly index: number
}

/** Throws for the id of nothing that the author could change, and for one that stands in the request a second time. */
function refuseOthers({ context, asked, firsts }: Known, { name, kind, index }: Meant): void {
  const id = asked.ids[name][index] ?? ''
  if (!isId(kind.prefix, id)) throw notFound()
  kind.refuse?.(context, id)
  if ((firsts[name].get(id) ?? index) < index) {
    throw new Failure('invalid_request', 'The request changes this one twice.')
  }
}

/** A rule that says nothing. */
function substituteRule(rule_id: string, version_id: string): RulebookEvent {
  return { type: 'RulePublished', data: { rule_id, version_id, name: '', text, expression } }
}

/** A recipe of no rules. */
function substituteRecipe(recipe_id: string, version_id: string): RulebookEvent {
  const content = { name: '', threshold: 0, rules: [] }
  return {
    type: 'RecipePublished',
    data: { recipe_id, version_id, status: 'DRAFT', ...content },
  }
}

/** A list that there is no room for, or whose name another has: the rules that ask it are read as if it were there. */
function substituteList(list_id: string, list: NamedList): RulebookEvent {
  return { type: 'ListCreated', data: { list_id, ...list } }
}
