/** Converts the changes of one request into steps, in an order in which they can be decided. */

import { Failure, invalidRequest, notFound } from '../../../domain/failure.ts'
import { deriveId, idPrefixes, isId } from '../../../domain/ids.ts'
import { pauseLongWork } from '../../../domain/load/longWork.ts'
import type { NamedList } from '../../../events/rulebook/namedListEvents.ts'
import type { RulebookEvent, RulebookState } from '../../../events/rulebook/rulebook.ts'
import { decideIfMatch } from '../../handling/decideIfMatch.ts'
import { compileRule } from '../compileRule.ts'
import { flowKind } from '../flows.ts'
import {
  decideListCreation,
  decideListDeletion,
  decideListReplacement,
} from '../namedListDecisions.ts'
import { recipeKind } from '../recipes.ts'
import type {
  OwnRulebookTypes,
  PinContext,
  PublishInput,
  ResourceDefinition,
} from '../rulebookResources.ts'
import type { RulebookContext } from '../rulebookStreams.ts'
import { ruleKind } from '../rules.ts'
import type { ChangeStep } from './decideAllSteps.ts'
import {
  type ChangesInput,
  type ResourceChange,
  type ResourceIds,
  type ResourceKind,
  resolveResourceReference,
} from './rulebookChanges.ts'

const text = 'true'
const expression = compileRule(text)

/** What a change needs of its kind. */
interface ChangedKind<Input>
  extends Pick<
    ResourceDefinition<Input, OwnRulebookTypes>,
    'prefix' | 'refuse' | 'pinned' | 'publish' | 'retire'
  > {
  readonly view: (state: RulebookState, id: string) => object | undefined
}

const pinsEarlier =
  'The request pins earlier versions of rules, which may ask the list; delete it in a request of its own.'

/** Lists, without their entries. They have no versions. */
const listKind: ChangedKind<NamedList> = {
  prefix: idPrefixes.list,
  publish: (_, { id, mode }, list) =>
    mode === 'create' ? decideListCreation(id, list) : decideListReplacement(id, list),
  retire: (_, id) => (state) => {
    // what is pinned only now is not in memory yet, and may ask the list
    if (state.missing.size > 0) throw new Failure('conflict', pinsEarlier)
    return decideListDeletion(id)(state)
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
  const common = { context, asked }
  const parts = [
    await stepsOf({
      ...common,
      name: 'lists',
      kind: listKind,
      given: lists,
      substitute: ({ id }, content) => content && substituteList(id, content),
    }),
    await stepsOf({
      ...common,
      name: 'rules',
      kind: ruleKind,
      given: rules,
      substitute: substituteRule,
    }),
    await stepsOf({
      ...common,
      name: 'recipes',
      kind: recipeKind,
      given: recipes,
      resolved: (recipe) => ({
        ...recipe,
        rules: recipe.rules.map((member) => ({
          ...member,
          rule_id: resolveResourceReference(asked.ids, 'rules', member.rule_id),
        })),
      }),
      substitute: substituteRecipe,
    }),
    await stepsOf({
      ...common,
      name: 'flows',
      kind: flowKind,
      given: flows,
      resolved: (flow) => ({
        ...flow,
        recipes: flow.recipes.map((id) => resolveResourceReference(asked.ids, 'recipes', id)),
      }),
    }),
  ]
  const deletions = parts.map((part) => part.deletions).reverse()
  return [...parts.flatMap(({ writes }) => writes), ...deletions.flat()]
}

interface Part<Input> {
  readonly context: RulebookContext
  readonly asked: StepInput
  readonly name: ResourceKind
  readonly kind: ChangedKind<Input>
  readonly given: readonly ResourceChange<Input>[]
  /** The content with ids for paths in the request; absent where it refers to nothing. */
  readonly resolved?: (content: Input) => Input
  /** For a new one that is refused; given the content unless there is a fault in it. */
  readonly substitute?: (ids: Ids, content: Input | undefined) => ChangeStep['substitute']
}

type Ids = Omit<PublishInput, 'mode'>

async function stepsOf<Input>(
  part: Part<Input>,
): Promise<{ readonly writes: readonly ChangeStep[]; readonly deletions: readonly ChangeStep[] }> {
  const { context, asked, name, kind, given } = part
  const writes: ChangeStep[] = []
  const deletions: ChangeStep[] = []
  // of a content with a fault nothing is known but that
  const contents = given.map(({ content }, index) =>
    asked.faults.has(`${name}.${index}`) ? undefined : content,
  )
  const pinning = contents.filter((content) => content !== undefined)
  const known = await kind.pinned?.(context, asked.account, pinning)
  const firsts = new Map(asked.ids[name].map((id, index) => [id, index] as const).reverse())
  for (const [index, id] of asked.ids[name].entries()) {
    await pauseLongWork()
    const repeated = firsts.get(id) !== index
    const step = await stepOf(part, { content: contents[index], known, repeated }, index)
    if (given[index]?.delete) deletions.push(step)
    else writes.push(step)
  }
  return { writes, deletions }
}

interface Prepared<Input> extends PinContext {
  /** Undefined for a deletion, and for a content with a fault. */
  readonly content: Input | undefined
  /** Whether an earlier change of the request has the same id. */
  readonly repeated: boolean
}

async function stepOf<Input>(
  part: Part<Input>,
  { content, known, repeated }: Prepared<Input>,
  index: number,
): Promise<ChangeStep> {
  const { context, asked, name, kind, given, substitute } = part
  const change = given[index] ?? {}
  const path = `${name}.${index}`
  const id = asked.ids[name][index] ?? ''
  const versionId = deriveId('ver', asked.command, path)
  const isNew = change.id === undefined
  const mode = isNew ? 'create' : 'replace'
  const publish = publishing(part, { id, versionId, mode, known }, { path, content })
  const decide = decideIfMatch(
    change.if_match === undefined ? {} : { ifMatch: [change.if_match] },
    change.delete ? await kind.retire(context, id) : publish,
    (state: RulebookState) => kind.view(state, id),
  )
  const substituted = isNew ? substitute?.({ id, versionId }, content) : undefined
  return {
    path,
    decide: (state) => {
      if (!isNew) refuseOthers(part, id, repeated)
      return decide(state)
    },
    ...(substituted && { substitute: substituted }),
  }
}

/** Compiles the content only when it is decided on: of many changes one at a time is in memory compiled. */
function publishing<Input>(
  { context, asked, kind, resolved }: Part<Input>,
  ids: PublishInput & PinContext,
  { path, content }: { readonly path: string; readonly content: Input | undefined },
): ChangeStep['decide'] {
  return (state) => {
    if (content === undefined) throw invalidRequest(asked.faults.get(path) ?? [])
    return kind.publish(context, ids, resolved?.(content) ?? content)(state)
  }
}

/** Throws for an id that the author cannot change, and for one that the request names a second time. */
function refuseOthers<Input>(
  { context, kind }: Part<Input>,
  id: string,
  isRepeated: boolean,
): void {
  if (!isId(kind.prefix, id)) throw notFound()
  kind.refuse?.(context, id)
  if (isRepeated) throw new Failure('invalid_request', 'The request changes this one twice.')
}

/** A rule that says nothing. */
function substituteRule({ id, versionId }: Ids): RulebookEvent {
  const data = { rule_id: id, version_id: versionId, name: '', text, expression }
  return { type: 'RulePublished', data }
}

/** A recipe of no rules. */
function substituteRecipe({ id, versionId }: Ids): RulebookEvent {
  const content = { name: '', threshold: 0, rules: [] }
  const data = { recipe_id: id, version_id: versionId, status: 'DRAFT' as const, ...content }
  return { type: 'RecipePublished', data }
}

/** A list that is refused: the rules that ask it are checked as if it existed. */
function substituteList(list_id: string, list: NamedList): RulebookEvent {
  return { type: 'ListCreated', data: { list_id, ...list } }
}
