/** Finds the names of flows, recipes and managed rules, and adds them to results. */

import {
  type RulebookStreams,
  type Rulebooks,
  requireManagedRulebook,
} from '../../commands/rulebook/rulebookStreams.ts'
import type { Plan } from '../../engine/run/plan.ts'
import type { RecipeResult, RuleResult } from '../../engine/run/result.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import { formatVersionKey } from '../../events/rulebook/versionEvents.ts'
import type { QueryContext } from '../reading/queryContext.ts'
import { findVersionContents } from '../rulebook/versions.ts'

/** Versions that are read for one answer; others that are not in memory have their current name. */
const lookUpsMax = 500

/** Of the version, else of the current one, of managed rules also when it was deleted; undefined for what has none. */
type NameOf = (id: string, versionId: string | undefined) => string | undefined

export interface NameLookup {
  readonly flow: NameOf
  readonly recipe: NameOf
  /** The description: customers are told neither name nor version of a managed rule (spec 2.6). */
  readonly managedRule: NameOf
}

/**
 * The names in these rulebooks, and of versions that they do not hold: names, and descriptions of managed rules, by `formatVersionKey`.
 */
export function createNameLookup(
  rulebooks: Rulebooks,
  earlier: ReadonlyMap<string, string> = new Map(),
): NameLookup {
  const nameOf =
    (versionOf: (id: string) => Versioned | undefined): NameOf =>
    (id, versionId) => {
      const found = earlier.get(formatVersionKey(id, versionId ?? ''))
      const version = versionOf(id)
      const isMeant = version?.version_id === versionId || found === undefined
      return (version && isMeant ? version.name : found) || undefined
    }
  const { flow, recipe, managedRule } = listCurrentVersions(rulebooks)
  return { flow: nameOf(flow), recipe: nameOf(recipe), managedRule: nameOf(managedRule) }
}

interface Versioned {
  readonly version_id: string
  readonly name: string
}

/** The versions in memory: one of each flow, recipe and managed rule, of a retired managed rule its last. */
function listCurrentVersions({ own, managed }: Rulebooks) {
  return {
    flow: (id: string) => own.flows.get(id)?.current,
    recipe: (id: string) => own.recipes.get(id)?.current,
    managedRule: (id: string): Versioned | undefined => {
      const last = managed.rules.get(id)?.last
      return last && { version_id: last.version_id, name: last.description }
    },
  }
}

/** Something in one of its versions. */
export interface NamedVersion {
  readonly id: string
  readonly versionId: string | undefined
}

/** What finding names takes. */
export type NamesContext = Pick<RulebookStreams, 'rulebooks' | 'managed'> &
  Pick<QueryContext, 'documents' | 'projections'>

/** The names of these versions, and the current ones of the account's and the managed rulebook. Throws `unavailable`. */
export async function findNames(
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
    if (!isCached({ own, managed }, id, versionId)) keys.add(formatVersionKey(id, versionId))
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

function isCached(rulebooks: Rulebooks, id: string, versionId: string): boolean {
  const { flow, recipe, managedRule } = listCurrentVersions(rulebooks)
  return (flow(id) ?? recipe(id) ?? managedRule(id))?.version_id === versionId
}

/** A rule's result with what customers are told of a managed rule, in the version that ran. */
type Described<Rule extends RuleResult> = Omit<Rule, 'rule_id' | 'type'> &
  Pick<RuleResult, 'rule_id' | 'type'> & { readonly description?: string }

/** A recipe's result for people, with what the recipe and its managed rules are called. */
type Named<Recipe extends RecipeResult> = Omit<Recipe, 'recipe_id' | 'rules'> & {
  readonly recipe_id: string
  readonly name?: string
  readonly rules: readonly Described<Recipe['rules'][number]>[]
}

/** The results of recipes of the plan, each with its name, each managed rule with its description, as they were in the plan's versions. */
export function addRecipeNames<Recipe extends RecipeResult>(
  recipes: readonly Recipe[],
  plan: Plan,
  names: NameLookup,
): readonly Named<Recipe>[] {
  const planned = new Map(plan.recipes.map((recipe) => [recipe.recipe_id, recipe]))
  return recipes.map(({ recipe_id, rules, ...rest }) => {
    const recipe = planned.get(recipe_id)
    const name = names.recipe(recipe_id, recipe?.version_id)
    const versions = new Map(recipe?.rules.map((rule) => [rule.rule_id, rule.version_id]))
    const describe = ({ rule_id, type, ...found }: Recipe['rules'][number]) => {
      const description = type === 'MANAGED' && names.managedRule(rule_id, versions.get(rule_id))
      return { rule_id, type, ...(description && { description }), ...found }
    }
    const named = name !== undefined && { name }
    return { recipe_id, ...named, ...rest, rules: rules.map(describe) }
  })
}
