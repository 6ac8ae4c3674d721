/** Converts the changes of one request into steps, in an order in which they can be decided. */

import { Failure, invalidRequest, notFound } from '../../../domain/failure.ts'
import { deriveId, idPrefixes, isId } from '../../../domain/ids.ts'
import { pauseLongWork } from '../../../domain/load/scheduler.ts'
import type { NamedList } from '../../../events/rulebook/namedListEvents.ts'
import type { RulebookEvent, RulebookState } from '../../../events/rulebook/rulebook.ts'
import { compileRule } from '../../../state/rulebook/compileRule.ts'
import { type FlowInput, flowDefinition } from '../../../state/rulebook/flows.ts'
import {
  decideListCreation,
  decideListDeletion,
  decideListReplacement,
} from '../../../state/rulebook/namedListDecisions.ts'
import { type RecipeInput, recipeDefinition } from '../../../state/rulebook/recipes.ts'
import type { PublishInput } from '../../../state/rulebook/resourceDecisions.ts'
import type {
  OwnRulebookTypes,
  ResourceDefinition,
} from '../../../state/rulebook/resourceDefinition.ts'
import type { RulebookContext } from '../../../state/rulebook/rulebookStreams.ts'
import { type RuleInput, ruleDefinition } from '../../../state/rulebook/rules.ts'
import { decideIfMatch } from '../../handling/decideIfMatch.ts'
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
  /** The content with the ids that its references to others stand for; absent where it has none. */
  readonly resolve?: (content: Input, resolve: ResolveReference) => Input
  /** The event of a placeholder for a new one that is refused; given the content unless there is a fault in it. */
  readonly substitute?: (ids: PublishInput, content: Input | undefined) => ChangeStep['substitute']
}

type ResolveReference = (kind: ResourceKind, reference: string) => string

/** Lists, without their entries. They have no versions. */
const listKind: ChangedKind<NamedList> = {
  prefix: idPrefixes.list,
  publish:
    (_, { id, mode }, list) =>
    (state) =>
      mode === 'create'
        ? decideListCreation(state, id, list)
        : decideListReplacement(state, id, list),
  retire: (_, id) => (state) => decideListDeletion(state, id),
  view: ({ lists }, id) => {
    const list = lists.get(id)
    return list && { id, ...list }
  },
  // the rules that ask it are checked as if it existed
  substitute: ({ id }, list) => list && { type: 'ListCreated', data: { list_id: id, ...list } },
}

const ruleKind: ChangedKind<RuleInput> = {
  ...ruleDefinition,
  substitute: ({ id, versionId }) => {
    const says = { name: '', text: 'true', expression: compileRule('true') }
    return { type: 'RulePublished', data: { rule_id: id, version_id: versionId, ...says } }
  },
}

const recipeKind: ChangedKind<RecipeInput> = {
  ...recipeDefinition,
  resolve: (recipe, resolve) => ({
    ...recipe,
    rules: recipe.rules.map((rule) => ({ ...rule, rule_id: resolve('rules', rule.rule_id) })),
  }),
  substitute: ({ id, versionId }) => {
    const content = { name: '', status: 'DRAFT', threshold: 0, rules: [] } as const
    return { type: 'RecipePublished', data: { recipe_id: id, version_id: versionId, ...content } }
  },
}

const flowKind: ChangedKind<FlowInput> = {
  ...flowDefinition,
  resolve: (flow, resolve) => ({
    ...flow,
    recipes: flow.recipes.map((id) => resolve('recipes', id)),
  }),
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
  const parts = [
    await buildStepsOfKind(context, asked, { name: 'lists', kind: listKind, given: lists }),
    await buildStepsOfKind(context, asked, { name: 'rules', kind: ruleKind, given: rules }),
    await buildStepsOfKind(context, asked, { name: 'recipes', kind: recipeKind, given: recipes }),
    await buildStepsOfKind(context, asked, { name: 'flows', kind: flowKind, given: flows }),
  ]
  const deletions = parts.map((part) => part.deletions).reverse()
  return [...parts.flatMap(({ writes }) => writes), ...deletions.flat()]
}

interface Part<Input> {
  readonly name: ResourceKind
  readonly kind: ChangedKind<Input>
  readonly given: readonly ResourceChange<Input>[]
}

async function buildStepsOfKind<Input>(
  context: RulebookContext,
  { account, command, faults, ids }: StepInput,
  { name, kind, given }: Part<Input>,
) {
  const steps = { writes: [] as ChangeStep[], deletions: [] as ChangeStep[] }
  const resolve: ResolveReference = (...reference) => resolveResourceReference(ids, ...reference)
  // of a content with a fault nothing is known but that
  const contents = given.map(({ content }, index) =>
    faults.has(`${name}.${index}`) ? undefined : content,
  )
  const pinning = contents.filter((content) => content !== undefined)
  const known = await kind.pinned?.(context, account, pinning)
  const seen = new Set<string>()
  for (const [index, change] of given.entries()) {
    await pauseLongWork(context)
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
            const resolved = kind.resolve?.(content, resolve) ?? content
            return kind.publish(context, publishing, resolved)(state)
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
      substitute: isNew ? kind.substitute?.(publishing, content) : undefined,
    })
  }
  return steps
}
