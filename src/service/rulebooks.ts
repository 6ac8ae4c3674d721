/** The authors' part of the service: rules, recipes and flows of one account. */

import { publishFlow, retireFlow } from '../commands/publishFlow.ts'
import { publishRecipe, retireRecipe } from '../commands/publishRecipe.ts'
import { publishRule, retireRule } from '../commands/publishRule.ts'
import { notFound } from '../commands/rulebookLimits.ts'
import { Failure } from '../domain/failure.ts'
import { derivedId, type IdPrefix, isId } from '../domain/ids.ts'
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
import { accountStream, contextOf, type House, rulebookStream, write } from './house.ts'

type Mode = 'create' | 'replace'

interface Ids {
  readonly id: string
  readonly versionId: string
  readonly mode: Mode
}

/** What differs between rules, recipes and flows. */
interface Kind<Input, View> {
  readonly name: 'rules' | 'recipes' | 'flows'
  readonly prefix: IdPrefix
  readonly publish: (ids: Ids, input: Input) => (state: RulebookState) => readonly RulebookEvent[]
  readonly retire: (id: string) => (state: RulebookState) => readonly RulebookEvent[]
  /** The thing as its author sees it; undefined when it is not there. */
  readonly view: (state: RulebookState, id: string) => View | undefined
}

export interface ShelfWriter<Input, View> {
  readonly create: (call: Call, input: Input) => Promise<Written<View>>
  readonly replace: (call: Call, id: string, input: Input) => Promise<Written<View>>
  readonly remove: (call: Call, id: string) => Promise<Written<void>>
}

/** Throws `access_not_enabled` unless the operator has switched authoring on for the account. */
export async function assertAuthoring(house: House, call: Call): Promise<void> {
  const { state } = await house.accounts.held(accountStream(call.principal.accountId))
  if (state.authoring) return
  throw new Failure('access_not_enabled', 'Authoring is not enabled on this account.')
}

/** The commands of one kind. */
export function openShelfWriter<Input, View>(
  house: House,
  kind: Kind<Input, View>,
): ShelfWriter<Input, View> {
  const publish = async (call: Call, input: Input, replaced?: string): Promise<Written<View>> => {
    await assertAuthoring(house, call)
    const account = call.principal.accountId
    const operation = `${kind.name}.${replaced === undefined ? 'create' : `replace ${replaced}`}`
    const context = contextOf(house, call, { account, operation, input })
    const id = replaced ?? derivedId(kind.prefix, context.command, kind.name)
    const versionId = derivedId('ver', context.command, kind.name)
    const mode = replaced === undefined ? 'create' : 'replace'
    const written = await write(house, house.rulebooks, {
      stream: rulebookStream(account),
      context,
      decide: kind.publish({ id, versionId, mode }, input),
    })
    const view = kind.view(written.value.state, id)
    if (view === undefined) throw notFound()
    return { ...written, value: view }
  }

  return {
    create: (call, input) => publish(call, input),
    replace: async (call, id, input) => {
      if (!isId(kind.prefix, id)) throw notFound()
      return publish(call, input, id)
    },
    remove: async (call, id) => {
      await assertAuthoring(house, call)
      if (!isId(kind.prefix, id)) throw notFound()
      const account = call.principal.accountId
      const operation = `${kind.name}.remove ${id}`
      const written = await write(house, house.rulebooks, {
        stream: rulebookStream(account),
        context: contextOf(house, call, { account, operation, input: null }),
        decide: kind.retire(id),
      })
      return { ...written, value: undefined }
    },
  }
}

export const ruleKind: Kind<RuleInput, RuleView> = {
  name: 'rules',
  prefix: 'rul',
  publish: ({ id, versionId, mode }, { name, expression: text }) =>
    publishRule({ ruleId: id, versionId, mode, name, text, expression: compileRule(text) }),
  retire: retireRule,
  view: (state, id) => {
    const rule = state.rules.get(id)?.current
    return rule && { id, name: rule.name, expression: rule.text, version_id: rule.version_id }
  },
}

export const recipeKind: Kind<RecipeInput, RecipeView> = {
  name: 'recipes',
  prefix: 'rcp',
  publish: ({ id, versionId, mode }, input) =>
    publishRecipe({ recipeId: id, versionId, mode, ...input }),
  retire: retireRecipe,
  view: (state, id) => {
    const entry = state.recipes.get(id)
    if (!entry?.current) return undefined
    const { name, threshold, rules, version_id } = entry.current
    return { id, name, status: entry.status, threshold, rules, version_id }
  },
}

export const flowKind: Kind<FlowInput, FlowView> = {
  name: 'flows',
  prefix: 'flo',
  publish: ({ id, versionId, mode }, input) =>
    publishFlow({ flowId: id, versionId, mode, ...input }),
  retire: retireFlow,
  view: (state, id) => {
    const flow = state.flows.get(id)?.current
    return flow && { id, name: flow.name, recipes: flow.recipes, version_id: flow.version_id }
  },
}
