/** Installs the shipped managed rules and recipes; keeps what the operator changed. */

import { managedAccountId, shippedId } from '../../../domain/ids.ts'
import { uuidV5 } from '../../../domain/uuid.ts'
import {
  pickManagedRecipeContent,
  pickManagedRuleContent,
} from '../../../events/rulebook/authoredContent.ts'
import type {
  ManagedRecipeContent,
  ManagedResource,
  ManagedRulebook,
  ManagedRulebookEvent,
  ManagedRuleContent,
} from '../../../events/rulebook/managedRulebook.ts'
import { managedStream } from '../../../events/rulebook/rulebook.ts'
import type { ShippedRule } from '../../../managed/shippedRules.ts'
import type { ShippedRecipe } from '../../../managed/shippedSet.ts'
import { type ShippedSet, shippedSet } from '../../../managed/shippedSet.ts'
import { compileManagedRule } from '../../../state/rulebook/compileRule.ts'
import { hasSameContent } from '../../../state/rulebook/resourceDecisions.ts'
import type { RulebookStreams } from '../../../state/rulebook/rulebookStreams.ts'
import type { WriteContext } from '../../handling/commandContext.ts'
import { executeCommand, waitUntilVisible } from '../../handling/executeCommand.ts'

/** Namespace of the command ids under which sets are installed. */
const namespace = 'b54bb5a0-4f3f-5d0e-9b1c-6f5f7d0a2e93'

/** To be awaited before any decision or evaluation. Only the first start after an update reads several streams. */
export async function installManagedSet(
  context: WriteContext & Pick<RulebookStreams, 'managed'>,
): Promise<void> {
  const handled = await executeCommand(context, context.managed, {
    stream: managedStream,
    context: {
      account: managedAccountId,
      actor: 'service',
      request: '',
      command: uuidV5(namespace, `set ${shippedSet.version}`),
      time: context.clock.nowMs(),
    },
    decide: decideInstall(shippedSet),
  })
  if (handled.events.length > 0) await waitUntilVisible(context, handled)
}

/**
 * The decision: a set that is newer than the installed one is taken over, except for what the operator has changed or
 * retired since; any other set changes nothing. Throws `invalid_rule` for a rule that does not compile.
 */
export function decideInstall(set: ShippedSet) {
  return (state: ManagedRulebook): readonly ManagedRulebookEvent[] => {
    const shipped = set.version
    if (state.setVersion >= shipped) return []
    const versionOf = (key: string) => shippedId('ver', `${key} ${shipped}`)
    const rules = set.rules.flatMap((rule): ManagedRulebookEvent[] => {
      const rule_id = shippedId('rul', rule.key)
      const content = buildShippedRule(rule)
      if (!isTakenOver(state.rules.get(rule_id), pickManagedRuleContent, content)) return []
      const data = { rule_id, version_id: versionOf(rule.key), ...content, shipped }
      return [{ type: 'ManagedRulePublished', data }]
    })
    const recipes = set.recipes.flatMap((recipe): ManagedRulebookEvent[] => {
      const recipe_id = shippedId('rcp', recipe.key)
      const content = buildShippedRecipe(recipe)
      if (!isTakenOver(state.recipes.get(recipe_id), pickManagedRecipeContent, content)) return []
      const data = { recipe_id, version_id: versionOf(recipe.key), ...content, shipped }
      return [{ type: 'ManagedRecipePublished', data }]
    })
    return [...rules, ...recipes, { type: 'ManagedSetInstalled', data: { version: shipped } }]
  }
}

/** Whether the content is new here, or another one than that of an earlier set. */
function isTakenOver<
  Version extends Content & { readonly shipped?: number },
  Content extends object,
>(
  entry: ManagedResource<Version> | undefined,
  contentOf: (version: Content) => Content,
  content: Content,
): boolean {
  if (!entry) return true
  const { current } = entry
  return current?.shipped !== undefined && !hasSameContent(contentOf(current), content)
}

function buildShippedRule({ key: _, parameters = [], ...rule }: ShippedRule): ManagedRuleContent {
  return { ...rule, expression: compileManagedRule(rule.text, parameters), parameters }
}

function buildShippedRecipe({ key: _, rules, ...recipe }: ShippedRecipe): ManagedRecipeContent {
  const members = rules.map(({ rule, ...member }) => ({
    rule_id: shippedId('rul', rule),
    ...member,
  }))
  return { ...recipe, rules: members }
}
