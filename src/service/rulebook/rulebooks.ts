/** The authors' part of the service: rules, recipes and flows of one account. */

import { assertAuthoring } from '../../commands/accounts/assertAccess.ts'
import { outlineRecipe } from '../../commands/evaluation/planFlow.ts'
import { listKindsIn } from '../../commands/rulebook/listUses.ts'
import { publishFlow, retireFlow } from '../../commands/rulebook/publishFlow.ts'
import { publishRecipe, retireRecipe } from '../../commands/rulebook/publishRecipe.ts'
import { publishRule, retireRule } from '../../commands/rulebook/publishRule.ts'
import { restoreFlow, restoreRecipe, restoreRule } from '../../commands/rulebook/restoreVersion.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { mayAskLists } from '../../engine/language/lookups.ts'
import { authoredRule, recordedRule } from '../../events/rulebook/authoredRule.ts'
import { flowContent, recipeContent } from '../../events/rulebook/contents.ts'
import {
  type Entries,
  type Entry,
  type Membership,
  type RulebookEvent,
  type RulebookState,
  ruleOf,
} from '../../events/rulebook/rulebook.ts'
import {
  managedRulebook,
  managedStream,
  rulebookStream,
  type ServiceContext,
} from '../opening/serviceContext.ts'
import { compileRule } from './compileRule.ts'
import { earlierVersion, knownPins } from './earlierVersions.ts'
import type { Named } from './namesakes.ts'
import type { Kind, WritingOwner } from './resourceCommands.ts'
import type {
  FlowInput,
  FlowView,
  RecipeInput,
  RecipeView,
  RuleInput,
  RuleView,
} from './rulebookPart.ts'
import { flowOfEvent, recipeOfEvent, ruleOfEvent } from './versionOfEvent.ts'
import { flowWarnings, recipeWarnings, ruleWarnings } from './warnings.ts'

// until every area imports it where it is
export { assertAuthoring }

/** Authors, each with the rulebook of their account. Throws `access_not_enabled` for those who may not author. */
export function authorsOf(
  context: ServiceContext,
): WritingOwner<RulebookState, RulebookEvent, AccountPrincipal> {
  return {
    streams: context.rulebooks,
    accountOf: async (call) => {
      await assertAuthoring(context, call)
      // what is managed has a say in what customers decide
      await context.managed.catchUp(managedStream)
      return call.principal.accountId
    },
  }
}

/** What authors keep. */
export type OwnKind<Input, View> = Kind<RulebookState, RulebookEvent, Input, View>

/** Rules. */
function ruleKind(context: ServiceContext): OwnKind<RuleInput, RuleView> {
  return {
    name: 'rules',
    prefix: 'rul',
    publish: ({ id, versionId, mode }, input) => {
      const publish = (expression: Expression) =>
        publishRule({ ...recordedRule(input, expression), ruleId: id, versionId, mode })
      // compiled where it is decided: which lists there are, that alone knows
      return mayAskLists(input.expression)
        ? (state) => publish(compileRule(input.expression, listKindsIn(state)))(state)
        : publish(compileRule(input.expression))
    },
    retire: retireRule,
    restore: async ({ account, id, versionId }) => {
      const found = await earlierVersion(context, account, { of: id, versionId })
      return restoreRule(id, versionId, ruleOfEvent(found))
    },
    view: (state, id) => {
      const rule = state.rules.get(id)?.current
      if (!rule) return undefined
      const { name, text, expression, version_id } = rule
      return { id, ...authoredRule({ name, text, expression }), version_id }
    },
    warnings: (state, id) => {
      const rule = state.rules.get(id)?.current
      return rule ? ruleWarnings(ruleOf(rule).expression) : []
    },
    noun: 'rule',
    named: ({ rules }) => namedIn(rules),
  }
}

/** Recipes, which may use what the operator keeps. */
function recipeKind(context: ServiceContext): OwnKind<RecipeInput, RecipeView> {
  const managed = managedRulebook(context)
  const knownIn = async (account: string, members: readonly Membership[]) => {
    const { state } = await context.rulebooks.folded(rulebookStream(account))
    return knownPins(context, { account, state }, members)
  }
  return {
    name: 'recipes',
    prefix: 'rcp',
    publish: ({ id, versionId, mode, earlier }, { parameters, ...input }) =>
      publishRecipe(
        {
          ...input,
          ...(parameters && { parameters: textsOf(parameters) }),
          recipeId: id,
          versionId,
          mode,
          ...(earlier && { known: earlier }),
        },
        managed,
      ),
    earlier: (account, inputs) =>
      knownIn(
        account,
        inputs.flatMap(({ rules }) => rules),
      ),
    retire: retireRecipe,
    restore: async ({ account, id, versionId }) => {
      const found = await earlierVersion(context, account, { of: id, versionId })
      const earlier = recipeOfEvent(found)
      const known = await knownIn(account, earlier?.rules ?? [])
      return restoreRecipe(id, versionId, { managed, known, ...(earlier && { earlier }) })
    },
    view: (state, id) => {
      const entry = state.recipes.get(id)
      if (!entry?.current) return undefined
      const { name, ...content } = recipeContent(entry.current)
      const { version_id } = entry.current
      return { id, name, status: entry.status, ...content, version_id }
    },
    warnings: (own, id) => {
      const version = own.recipes.get(id)?.current
      if (!version) return []
      // whatever its status is, this is what it would be once live
      return recipeWarnings(outlineRecipe({ own, managed }, { id, status: 'LIVE', version }))
    },
    noun: 'recipe',
    named: ({ recipes }) => namedIn(recipes),
  }
}

/** Values of parameters in the one form in which they are kept. */
export function textsOf(
  parameters: Readonly<Record<string, string | number | boolean>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, `${value}`]))
}

/** Flows. */
function flowKind(context: ServiceContext): OwnKind<FlowInput, FlowView> {
  return {
    name: 'flows',
    prefix: 'flo',
    publish: ({ id, versionId, mode }, input) =>
      publishFlow({ flowId: id, versionId, mode, ...input }),
    retire: retireFlow,
    restore: async ({ account, id, versionId }) => {
      const found = await earlierVersion(context, account, { of: id, versionId })
      return restoreFlow(id, versionId, flowOfEvent(found))
    },
    view: (state, id) => {
      const flow = state.flows.get(id)?.current
      return flow && { id, ...flowContent(flow), version_id: flow.version_id }
    },
    warnings: (state, id) => {
      const flow = state.flows.get(id)?.current
      const statuses = flow?.recipes.map((recipe) => state.recipes.get(recipe)?.status)
      return statuses ? flowWarnings(statuses) : []
    },
    noun: 'flow',
    named: ({ flows }) => namedIn(flows),
  }
}

/** All that authors keep, by name. */
export function kindsOf(context: ServiceContext) {
  return { rules: ruleKind(context), recipes: recipeKind(context), flows: flowKind(context) }
}

function namedIn(
  entries: Pick<Entries<Pick<Entry<{ readonly name: string }>, 'current'>>, 'keys' | 'get'>,
): Named {
  return { ids: () => entries.keys(), nameOf: (id) => entries.get(id)?.current?.name }
}
