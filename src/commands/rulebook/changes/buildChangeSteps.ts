/** Converts the changes of one request into steps, in an order in which they can be decided. */

import { Failure, invalidRequest, notFound } from '../../../domain/failure.ts'
import { deriveId, idPrefixes, isId } from '../../../domain/ids.ts'
import { pauseLongWork } from '../../../domain/load/longWork.ts'
import type { NamedList } from '../../../events/rulebook/namedListEvents.ts'
import type { RulebookEvent, RulebookState } from '../../../events/rulebook/rulebook.ts'
import { decideIfMatch } from '../../handling/decideIfMatch.ts'
import { compileRule } from '../compileRule.ts'
import { flowDefinition } from '../flows.ts'
import {
  decideListCreation,
  decideListDeletion,
  decideListReplacement,
} from '../namedListDecisions.ts'
import { recipeDefinition } from '../recipes.ts'
import type { PublishInput } from '../resourceDecisions.ts'
import type { OwnRulebookTypes, ResourceDefinition } from '../rulebookResources.ts'
import type { RulebookContext } from '../rulebookStreams.ts'
import { ruleDefinition } from '../rules.ts'
import type { ChangeStep } from './decideAllSteps.ts'
import {
  type ChangesInput,
  type ResourceChange,
  type ResourceIds,
  type ResourceKind,
  resolveResourceReference,
} from './rulebookChanges.ts'

/** The parts of a resource definition that a change needs. */
interface ChangedKind<Input>
  extends Pick<
    ResourceDefinition<Input, OwnRulebookTypes>,
    'prefix' | 'refuse' | 'pinned' | 'publish' | 'retire'
  > {
  readonly view: (state: RulebookState, id: string) => object | undefined
}

/** Lists, without their entries. They have no versions. */
const listKind: ChangedKind<NamedList> = {
  prefix: idPrefixes.list,
  publish:
    (_, { id, mode }, list) =>
    (state) =>
      mode === 'create'
        ? decideListCreation(state, id, list)
        : decideListReplacement(state, id, list),
  retire: (_, id) => (state) => {
    // what is pinned only now is not in memory yet, and may ask the list
    if (state.missing.size === 0) return decideListDeletion(state, id)
    const message =
      'The request pins earlier versions of rules, which may ask the list; delete it in a request of its own.'
    throw new Failure('conflict', message)
  },
  view: ({ lists }, id) => {
    const list = lists.get(id)
    return list && { id, ...list }
  },
}

interface StepInput extends ChangesInput {
  /** Whose rulebook it is. */
  readonly account: string
  readonly ids: ResourceIds
  readonly command: string
}

/** The steps. A fault in the content of one is thrown when it is decided. */
export async function buildChangeSteps(
  context: RulebookContext,
  asked: StepInput,
): Promise<readonly ChangeStep[]> {
  const { lists = [], rules = [], recipes = [], flows = [] } = asked.changes
  const resolve = (kind: ResourceKind, id: string) => resolveResourceReference(asked.ids, kind, id)
  const parts = [
    await buildStepsOfKind(context, asked, {
      name: 'lists',
      kind: listKind,
      given: lists,
      substitute: substituteList,
    }),
    await buildStepsOfKind(context, asked, {
      name: 'rules',
      kind: ruleDefinition,
      given: rules,
      substitute: substituteRule,
    }),
    await buildStepsOfKind(context, asked, {
      name: 'recipes',
      kind: recipeDefinition,
      given: recipes,
      resolved: (recipe) => ({
        ...recipe,
        rules: recipe.rules.map((member) => ({
          ...member,
          rule_id: resolve('rules', member.rule_id),
        })),
      }),
      substitute: substituteRecipe,
    }),
    await buildStepsOfKind(context, asked, {
      name: 'flows',
      kind: flowDefinition,
      given: flows,
      resolved: (flow) => ({ ...flow, recipes: flow.recipes.map((id) => resolve('recipes', id)) }),
    }),
  ]
  const deletions = parts.map((part) => part.deletions).reverse()
  return [...parts.flatMap(({ writes }) => writes), ...deletions.flat()]
}

interface Part<Input> {
  readonly name: ResourceKind
  readonly kind: ChangedKind<Input>
  readonly given: readonly ResourceChange<Input>[]
  /** The content with ids for paths in the request; absent where it refers to nothing. */
  readonly resolved?: (content: Input) => Input
  /** The event of a placeholder for a new one that is refused; given the content unless there is a fault in it. */
  readonly substitute?: (ids: PublishInput, content: Input | undefined) => ChangeStep['substitute']
}

async function buildStepsOfKind<Input>(
  context: RulebookContext,
  { account, command, faults, ids }: StepInput,
  { name, kind, given, resolved, substitute }: Part<Input>,
) {
  const steps = { writes: [] as ChangeStep[], deletions: [] as ChangeStep[] }
  // of a content with a fault nothing is known but that
  const contents = given.map(({ content }, index) =>
    faults.has(`${name}.${index}`) ? undefined : content,
  )
  const pinning = contents.filter((content) => content !== undefined)
  const known = await kind.pinned?.(context, account, pinning)
  const seen = new Set<string>()
  for (const [index, change] of given.entries()) {
    await pauseLongWork()
    const path = `${name}.${index}`
    const id = ids[name][index] ?? ''
    const content = contents[index]
    const isNew = change.id === undefined
    const isRepeated = seen.has(id)
    seen.add(id)
    const mode = isNew ? 'create' : 'replace'
    const publishing = { id, versionId: deriveId('ver', command, path), mode, known } as const
    const decide = decideIfMatch<RulebookState, RulebookEvent>(
      change.if_match === undefined ? {} : { ifMatch: [change.if_match] },
      change.delete
        ? await kind.retire(context, id)
        : (state) => {
            if (content === undefined) throw invalidRequest(faults.get(path) ?? [])
            // compiled only now: of many changes one at a time is in memory compiled
            return kind.publish(context, publishing, resolved?.(content) ?? content)(state)
          },
      (state) => kind.view(state, id),
    )
    steps[change.delete ? 'deletions' : 'writes'].push({
      path,
      decide: (state) => {
        if (isNew) return decide(state)
        if (!isId(kind.prefix, id)) throw notFound()
        kind.refuse?.(context, id)
        if (isRepeated) throw new Failure('invalid_request', 'The request changes this one twice.')
        return decide(state)
      },
      substitute: isNew ? substitute?.(publishing, content) : undefined,
    })
  }
  return steps
}

const text = 'true'
const expression = compileRule(text)

/** A list that is refused: the rules that ask it are checked as if it existed. */
function substituteList(
  { id }: PublishInput,
  list: NamedList | undefined,
): ChangeStep['substitute'] {
  return list && { type: 'ListCreated', data: { list_id: id, ...list } }
}

/** A rule that says nothing. */
function substituteRule({ id, versionId }: PublishInput): RulebookEvent {
  const data = { rule_id: id, version_id: versionId, name: '', text, expression }
  return { type: 'RulePublished', data }
}

/** A recipe of no rules. */
function substituteRecipe({ id, versionId }: PublishInput): RulebookEvent {
  const content = { name: '', threshold: 0, rules: [] }
  const data = { recipe_id: id, version_id: versionId, status: 'DRAFT' as const, ...content }
  return { type: 'RecipePublished', data }
}
