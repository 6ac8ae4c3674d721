/** What differs between managed rules and managed recipes. */

import { outlineBase } from '../../commands/evaluation/planFlow.ts'
import { compileManagedRule, declaredTwice } from '../../commands/rulebook/compileManagedRule.ts'
import { bindingsOf } from '../../commands/rulebook/parameterBindings.ts'
import {
  publishManagedRecipe,
  retireManagedRecipe,
} from '../../commands/rulebook/publishManagedRecipe.ts'
import {
  publishManagedRule,
  retireManagedRule,
} from '../../commands/rulebook/publishManagedRule.ts'
import { restoreManagedRecipe, restoreManagedRule } from '../../commands/rulebook/restoreVersion.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { authoredRule, recordedRule } from '../../events/rulebook/authoredRule.ts'
import { managedRecipeContent, managedRuleContent } from '../../events/rulebook/contents.ts'
import {
  inForce,
  type ManagedEntry,
  type ManagedEvent,
  type ManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import type { VersionEvent } from '../../events/rulebook/versionEvents.ts'
import type { ResourceReader } from '../../queries/reading/resourceReader.ts'
import { managedResources } from '../../queries/rulebook/managed.ts'
import { invalidRule, ruleDetails } from './compileRule.ts'
import type { Named } from './namesakes.ts'
import type { Kind } from './resourceCommands.ts'
import type {
  ManagedRecipeInput,
  ManagedRecipeView,
  ManagedRuleInput,
  ManagedRuleView,
} from './rulebookPart.ts'
import { managedRecipeOfEvent, managedRuleOfEvent } from './versionOfEvent.ts'
import { recipeWarnings, ruleWarnings } from './warnings.ts'

export interface ManagedKind<Input, View>
  extends Omit<Kind<ManagedRulebook, ManagedEvent, Input, View>, 'retire' | 'restore'> {
  readonly resource: ResourceReader<View>
  /** `earlier` gives the version where the log has it. */
  readonly restore: (
    id: string,
    versionId: string,
    earlier: VersionEvent | undefined,
  ) => (state: ManagedRulebook) => readonly ManagedEvent[]
  /** `users` are recipes of customers. */
  readonly retire: (
    id: string,
    users: readonly string[],
  ) => (state: ManagedRulebook) => readonly ManagedEvent[]
}

export const managedRuleKind: ManagedKind<ManagedRuleInput, ManagedRuleView> = {
  name: 'managed_rules',
  prefix: 'rul',
  resource: managedResources.rules,
  publish: ({ id, versionId, mode }, { parameters = [], ...input }) => {
    const twice = declaredTwice(parameters)
    if (twice.length > 0) throw invalidRequest(twice)
    const compiled = compileManagedRule(input.expression, parameters)
    if ('expression' in compiled) {
      const rule = recordedRule({ ...input, parameters }, compiled.expression)
      return publishManagedRule({ ...rule, ruleId: id, versionId, mode })
    }
    throw invalidRule('expression', ruleDetails('expression', compiled.problems))
  },
  retire: retireManagedRule,
  restore: (id, versionId, earlier) =>
    restoreManagedRule(id, versionId, managedRuleOfEvent(earlier)),
  view: (state, id) => {
    const rule = inForce(state.rules, id)
    if (!rule) return undefined
    return { id, ...authoredRule(managedRuleContent(rule)), version_id: rule.version_id }
  },
  warnings: ({ rules }, id) => {
    const rule = inForce(rules, id)
    return rule ? ruleWarnings(rule.expression) : []
  },
  noun: 'managed rule',
  named: ({ rules }) => namedIn(rules),
}

export const managedRecipeKind: ManagedKind<ManagedRecipeInput, ManagedRecipeView> = {
  name: 'managed_recipes',
  prefix: 'rcp',
  resource: managedResources.recipes,
  publish: ({ id, versionId, mode }, { parameters = [], ...input }) =>
    publishManagedRecipe({
      ...input,
      recipeId: id,
      versionId,
      mode,
      parameters: parameters.map((parameter) => ({
        ...parameter,
        default_value: `${parameter.default_value}`,
      })),
    }),
  retire: retireManagedRecipe,
  restore: (id, versionId, earlier) =>
    restoreManagedRecipe(id, versionId, managedRecipeOfEvent(earlier)),
  view: (state, id) => {
    const recipe = inForce(state.recipes, id)
    return recipe && { id, ...managedRecipeContent(recipe), version_id: recipe.version_id }
  },
  warnings: (state, id) => {
    const base = inForce(state.recipes, id)
    if (!base) return []
    // as it runs where nobody has set its parameters
    const bindings = bindingsOf(base.parameters)
    const rules = outlineBase(state, { base, inForce: true, bindings })
    return recipeWarnings({ threshold: base.threshold, rules })
  },
  noun: 'managed recipe',
  named: ({ recipes }) => namedIn(recipes),
}

function namedIn<Version extends { readonly name?: string }>(
  entries: ReadonlyMap<string, ManagedEntry<Version>>,
): Named {
  return { ids: () => entries.keys(), nameOf: (id) => inForce(entries, id)?.name }
}
