/** The authors' part of the service: rules, recipes and flows of one account. */

import { publishFlow, retireFlow } from '../commands/publishFlow.ts'
import { publishRecipe, retireRecipe } from '../commands/publishRecipe.ts'
import { publishRule, retireRule } from '../commands/publishRule.ts'
import { restoreFlow, restoreRecipe, restoreRule } from '../commands/restoreVersion.ts'
import { mustExist, notFound } from '../commands/rulebookLimits.ts'
import { holdsFor } from '../domain/entityTag.ts'
import { Failure } from '../domain/failure.ts'
import { derivedId, type IdPrefix, isId } from '../domain/ids.ts'
import type { ManagedRulebook } from '../events/managedRulebook.ts'
import type { RulebookEvent, RulebookState } from '../events/rulebook.ts'
import type {
  Call,
  FlowInput,
  FlowView,
  RecipeInput,
  RecipeView,
  RuleInput,
  RuleView,
  Written,
} from '../service.ts'
import { compileRule } from './compileRule.ts'
import {
  accountStream,
  carryOut,
  contextOf,
  type House,
  rulebookStream,
  whenVisible,
} from './house.ts'

type Mode = 'create' | 'replace'
type Decide = (state: RulebookState) => readonly RulebookEvent[]

interface Ids {
  readonly id: string
  readonly versionId: string
  readonly mode: Mode
}

/** What differs between rules, recipes and flows. */
interface Kind<Input, View> {
  readonly name: 'rules' | 'recipes' | 'flows'
  readonly prefix: IdPrefix
  readonly publish: (ids: Ids, input: Input) => Decide
  readonly retire: (id: string) => Decide
  readonly restore: (id: string, versionId: string) => Decide
  /** The thing as its author sees it; undefined when it is not there. */
  readonly view: (state: RulebookState, id: string) => View | undefined
}

export interface ShelfWriter<Input, View> {
  readonly create: (call: Call, input: Input) => Promise<Written<View>>
  readonly replace: (call: Call, id: string, input: Input) => Promise<Written<View>>
  readonly remove: (call: Call, id: string) => Promise<Written<void>>
  readonly restore: (call: Call, id: string, versionId: string) => Promise<Written<View>>
}

/** Throws `access_not_enabled` unless the operator has switched authoring on for the account. */
export async function assertAuthoring(house: House, call: Call): Promise<void> {
  const { state } = await house.accounts.held(accountStream(call.principal.accountId))
  if (state.authoring) return
  throw new Failure('access_not_enabled', 'Authoring is not enabled on this account.')
}

/** A change of one thing. */
interface Change {
  readonly operation: string
  readonly input: unknown
  /** Of the thing; undefined for a new one. */
  readonly id?: string
  readonly decide: (ids: { readonly id: string; readonly versionId: string }) => Decide
}

/** The commands of one kind. */
export function openShelfWriter<Input, View extends object>(
  house: House,
  kind: Kind<Input, View>,
): ShelfWriter<Input, View> {
  const change = async (call: Call, { operation, input, decide, ...known }: Change) => {
    await assertAuthoring(house, call)
    if (known.id !== undefined && !isId(kind.prefix, known.id)) throw notFound()
    const account = call.principal.accountId
    const context = contextOf(house, call, { account, operation, input })
    const id = known.id ?? derivedId(kind.prefix, context.command, kind.name)
    const versionId = derivedId('ver', context.command, kind.name)
    const { state, position } = await carryOut(house, house.rulebooks, {
      stream: rulebookStream(account),
      context,
      decide: decide({ id, versionId }),
    })
    const view = kind.view(state, id)
    const { visible } = await whenVisible(house, { position })
    return { view, position, visible }
  }

  const changed = async (call: Call, asked: Change): Promise<Written<View>> => {
    const { view, ...written } = await change(call, asked)
    if (view === undefined) throw notFound()
    return { ...written, value: view }
  }

  return {
    create: (call, input) =>
      changed(call, {
        operation: `${kind.name}.create`,
        input,
        decide: (ids) => kind.publish({ ...ids, mode: 'create' }, input),
      }),
    replace: (call, id, input) =>
      changed(call, {
        operation: `${kind.name}.replace ${id}`,
        input,
        id,
        decide: (ids) =>
          onCondition(call, kind.publish({ ...ids, mode: 'replace' }, input), (state) =>
            mustExist(kind.view(state, id)),
          ),
      }),
    remove: async (call, id) => {
      const operation = `${kind.name}.remove ${id}`
      const decide = () => onCondition(call, kind.retire(id), (state) => kind.view(state, id))
      const { position, visible } = await change(call, { operation, input: null, id, decide })
      return { value: undefined, position, visible }
    },
    restore: (call, id, versionId) =>
      changed(call, {
        operation: `${kind.name}.restore ${id} ${versionId}`,
        input: null,
        id,
        decide: () =>
          onCondition(call, kind.restore(id, versionId), (state) =>
            mustExist(kind.view(state, id)),
          ),
      }),
  }
}

/**
 * The decision, refused with `precondition_failed` when the call's `If-Match` does not hold of what is there. It is looked at on the
 * state that is decided on, so that of two clients who read the same only one gets through.
 */
function onCondition(
  { ifMatch }: Call,
  decide: Decide,
  present: (state: RulebookState) => object | undefined,
): Decide {
  if (ifMatch === undefined) return decide
  return (state) => {
    if (holdsFor(ifMatch, present(state))) return decide(state)
    throw new Failure(
      'precondition_failed',
      'It has changed since you read it; read it again and decide anew.',
    )
  }
}

export const ruleKind: Kind<RuleInput, RuleView> = {
  name: 'rules',
  prefix: 'rul',
  publish: ({ id, versionId, mode }, { name, expression: text }) =>
    publishRule({ ruleId: id, versionId, mode, name, text, expression: compileRule(text) }),
  retire: retireRule,
  restore: restoreRule,
  view: (state, id) => {
    const rule = state.rules.get(id)?.current
    return rule && { id, name: rule.name, expression: rule.text, version_id: rule.version_id }
  },
}

/** Recipes, which may use what the operator keeps. */
export function recipeKind(managed: ManagedRulebook): Kind<RecipeInput, RecipeView> {
  return {
    name: 'recipes',
    prefix: 'rcp',
    publish: ({ id, versionId, mode }, { parameters, ...input }) =>
      publishRecipe(
        {
          ...input,
          ...(parameters && { parameters: textsOf(parameters) }),
          recipeId: id,
          versionId,
          mode,
        },
        managed,
      ),
    retire: retireRecipe,
    restore: (id, versionId) => restoreRecipe(id, versionId, managed),
    view: (state, id) => {
      const entry = state.recipes.get(id)
      if (!entry?.current) return undefined
      const { managed: _, version_id, name, ...content } = entry.current
      return { id, name, status: entry.status, ...content, version_id }
    },
  }
}

/** Values of parameters in the one form in which they are kept. */
export function textsOf(
  parameters: Readonly<Record<string, string | number | boolean>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, `${value}`]))
}

export const flowKind: Kind<FlowInput, FlowView> = {
  name: 'flows',
  prefix: 'flo',
  publish: ({ id, versionId, mode }, input) =>
    publishFlow({ flowId: id, versionId, mode, ...input }),
  retire: retireFlow,
  restore: restoreFlow,
  view: (state, id) => {
    const flow = state.flows.get(id)?.current
    return flow && { id, name: flow.name, recipes: flow.recipes, version_id: flow.version_id }
  },
}
