/** Finds the names of flows, recipes and managed rules, and adds them to results. */

import type { Plan } from '../../engine/run/plan.ts'
import type { RecipeResult, RuleResult } from '../../engine/run/result.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import { formatVersionKey } from '../../events/rulebook/versionEvents.ts'
import {
  type RulebookStreams,
  type Rulebooks,
  requireManagedRulebook,
} from '../../state/rulebook/rulebookStreams.ts'
import type { QueryContext } from '../reading/queryContext.ts'
import { findVersionContents } from '../rulebook/versions.ts'

/** Versions that are read for one answer; others that are not in memory have their current name. */
const lookUpsMax = 500

/**
 * The name of a flow or recipe, and of a managed rule its description: customers are told neither its name nor its
 * version (spec 2.6). Of the version, else of the current one, of managed rules also when it was deleted; undefined for
 * what has none.
 */
export type NameLookup = (id: string, versionId: string | undefined) => string | undefined

/**
 * The names in these rulebooks, and of versions that they do not hold: names, and descriptions of managed rules, by
 * `formatVersionKey`.
 */
export function createNameLookup(
  rulebooks: Rulebooks,
  earlier: ReadonlyMap<string, string> = new Map(),
): NameLookup {
  return (id, versionId) => {
    const found = earlier.get(formatVersionKey(id, versionId ?? ''))
    const version = findVersionInMemory(rulebooks, id)
    const isMeant = version?.version_id === versionId || found === undefined
    return (version && isMeant ? version.name : found) || undefined
  }
}

/** The current version of a flow or recipe, or the last one of a managed rule, with its name. */
function findVersionInMemory(
  { own, managed }: Rulebooks,
  id: string,
): { readonly version_id: string; readonly name: string } | undefined {
  const current = own.flows.get(id)?.current ?? own.recipes.get(id)?.current
  const rule = managed.rules.get(id)?.last
  return current ?? (rule && { version_id: rule.version_id, name: rule.description })
}

/** Something in one of its versions. */
export interface NamedVersion {
  readonly id: string
  readonly versionId: string | undefined
}

export type NamesContext = Pick<RulebookStreams, 'rulebooks' | 'managed'> &
  Pick<QueryContext, 'documents' | 'projections'>

/** The names of these versions, and current names of own and managed resources. Throws `unavailable`. */
export async function loadNames(
  context: NamesContext,
  account: string,
  named: Iterable<NamedVersion>,
): Promise<NameLookup> {
  // versions that another instance has published count as well
  const { state: own } = await context.rulebooks.catchUp(rulebookStream(account))
  const managed = requireManagedRulebook(context)
  const keys = new Set<string>()
  for (const { id, versionId } of named) {
    if (versionId === undefined || keys.size >= lookUpsMax) continue
    const inMemory = findVersionInMemory({ own, managed }, id)
    if (inMemory?.version_id !== versionId) keys.add(formatVersionKey(id, versionId))
  }
  const earlier = new Map<string, string>()
  for (const [key, content] of await findVersionContents(context, [...keys])) {
    const name = 'description' in content ? content.description : content.name
    if (name !== undefined) earlier.set(key, name)
  }
  return createNameLookup({ own, managed }, earlier)
}

/** Everything in a plan that has a name for people. */
export function listNamedVersions({
  flow_id,
  flow_version_id,
  recipes,
}: Plan): readonly NamedVersion[] {
  return [
    { id: flow_id, versionId: flow_version_id },
    ...recipes.flatMap(({ recipe_id, version_id, rules }) => [
      { id: recipe_id, versionId: version_id },
      ...rules
        .filter(({ type }) => type === 'MANAGED')
        .map((rule) => ({ id: rule.rule_id, versionId: rule.version_id })),
    ]),
  ]
}

/** A rule's result with what customers are told of a managed rule, in the version that ran. */
type DescribedRule<Rule extends RuleResult> = Omit<Rule, 'rule_id' | 'type'> &
  Pick<RuleResult, 'rule_id' | 'type'> & { readonly description?: string }

/** A recipe's result for people, with what the recipe and its managed rules are called. */
type NamedRecipe<Recipe extends RecipeResult> = Omit<Recipe, 'recipe_id' | 'rules'> & {
  readonly recipe_id: string
  readonly name?: string
  readonly rules: readonly DescribedRule<Recipe['rules'][number]>[]
}

/**
 * The results of recipes of the plan, each with its name, each managed rule with its description, as they were in the
 * plan's versions.
 */
export function addRecipeNames<Recipe extends RecipeResult>(
  recipes: readonly Recipe[],
  plan: Plan,
  findName: NameLookup,
): readonly NamedRecipe<Recipe>[] {
  const planned = new Map(plan.recipes.map((recipe) => [recipe.recipe_id, recipe]))
  return recipes.map(({ recipe_id, rules, ...rest }) => {
    const recipe = planned.get(recipe_id)
    const name = findName(recipe_id, recipe?.version_id)
    const versions = new Map(recipe?.rules.map((rule) => [rule.rule_id, rule.version_id]))
    const describe = ({ rule_id, type, ...found }: Recipe['rules'][number]) => {
      const description = type === 'MANAGED' && findName(rule_id, versions.get(rule_id))
      return { rule_id, type, ...(description && { description }), ...found }
    }
    const named = name !== undefined && { name }
    return { recipe_id, ...named, ...rest, rules: rules.map(describe) }
  })
}
