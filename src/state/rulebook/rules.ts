/** Defines the rules of an account: their input, what is refused, how they are shown. */

import { Failure } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, inputLimits, nameSchema, type TypeOf } from '../../domain/jsonSchema.ts'
import { mayUseLists } from '../../engine/language/askedCalls.ts'
import { ruleLimits } from '../../engine/language/ruleLimits.ts'
import { pickRuleContent, toRecordedRule } from '../../events/rulebook/authoredContent.ts'
import { parseRuleVersion, type RuleContent } from '../../events/rulebook/rulebook.ts'
import { findArrivedKeyWarnings } from './arrivedKeyWarnings.ts'
import { compileRule } from './compileRule.ts'
import { findRuleLimitProblems } from './flowLimits.ts'
import { assertListsExist, indexListKinds } from './namedListDecisions.ts'
import { decideDeletion, decidePublication, prepareRestoration } from './resourceDecisions.ts'
import {
  type DecidedResource,
  type OwnRulebookTypes,
  ownRulebookAccess,
  type ResourceView,
} from './resourceDefinition.ts'
import { requireManagedRulebook } from './rulebookStreams.ts'
import { findRuleWarnings } from './rulebookWarnings.ts'

export const ruleFields = {
  name: nameSchema,
  expression: {
    type: 'string',
    minLength: 1,
    maxLength: inputLimits.expression,
    description: `A condition in the rule language; it must be true or false. Each of its patterns has a size of at most ${ruleLimits.patternSize}, all together of at most ${ruleLimits.rulePatterns}.`,
  },
} as const
export const ruleInputSchema = closedObject('RuleInput', ruleFields)
export type RuleInput = TypeOf<typeof ruleInputSchema>
type RuleView = RuleInput & ResourceView

export const ruleDefinition: DecidedResource<RuleInput, RuleContent, OwnRulebookTypes> = {
  name: 'rules',
  noun: 'rule',
  prefix: idPrefixes.rule,
  owner: ownRulebookAccess,
  entries: ({ rules }) => rules,
  current: ({ rules }, id) => {
    const rule = rules.get(id)?.current
    return rule && parseRuleVersion(rule)
  },
  pick: pickRuleContent,
  problems: findRuleLimitProblems,
  assertRestorable: assertListsExist,
  versionEvent: (change, id, rule) => ({ type: `Rule${change}`, data: { rule_id: id, ...rule } }),
  retiredEvent: (id) => ({ type: 'RuleRetired', data: { rule_id: id } }),
  inUse: {
    code: 'rule_in_use',
    message: 'The rule is still referenced and cannot be deleted; details names the recipes.',
    users: ({ rules }, id) => [...(rules.get(id)?.referrers.keys() ?? [])].sort(),
  },
  refuse: (context, id) => {
    if (!requireManagedRulebook(context).rules.get(id)?.current) return
    const message = 'A managed rule can be used, and not be changed.'
    throw new Failure('managed_rule_read_only', message)
  },
  publish: (_, publishing, input) => {
    // which lists there are is known only where it is decided
    const compiled = mayUseLists(input.expression) ? undefined : compileRule(input.expression)
    return (state) => {
      const expression = compiled ?? compileRule(input.expression, { lists: indexListKinds(state) })
      const rule = toRecordedRule(input, expression)
      return decidePublication(ruleDefinition, state, { ...rule, ...publishing })
    }
  },
  retire: (_, id) => (state) => decideDeletion(ruleDefinition, state, { id }),
  restore: (context, version) => prepareRestoration(context, version, ruleDefinition),
  view: (state, id): RuleView | undefined => {
    const rule = state.rules.get(id)?.current
    return rule && { id, name: rule.name, expression: rule.text, version_id: rule.version_id }
  },
  warnings: async (context, { rules }, { account, id }) => {
    const rule = rules.get(id)?.current
    if (!rule) return []
    const { expression } = parseRuleVersion(rule)
    const ofKeys = await findArrivedKeyWarnings(context, account, expression)
    return [...findRuleWarnings(expression), ...ofKeys]
  },
}
