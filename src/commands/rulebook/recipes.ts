/** Publishes, deletes and restores the recipes of an account. */

import { Failure, type FailureDetail, invalidRequest, mustExist } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, int64, limits, optional, type TypeOf } from '../../domain/schema.ts'
import { limits as ruleLimits } from '../../engine/language/limits.ts'
import { type AuthoredRecipe, recipeContent } from '../../events/rulebook/contents.ts'
import { inForce, type ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import {
  type Membership,
  type RecipeContent,
  type RecipeEntry,
  type RecipeStatus,
  type RecipeVersion,
  type RulebookEvent,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import {
  earlierVersion,
  type KnownVersions,
  knownPins,
  recipeOfEvent,
  withVersions,
} from './earlierVersions.ts'
import { recipeListProblems } from './listLimits.ts'
import { pinnedListProblems } from './namedLists.ts'
import { recipePatternProblems } from './patternLimits.ts'
import { outlineRecipe } from './planFlow.ts'
import { extensionOf, lackingParameter, parameterProblem } from './recipeParameters.ts'
import {
  author,
  type Decide,
  isSame,
  type Kind,
  type OwnRulebook,
  type Publishing,
  type ResourceView,
  resourceId,
  resourceName,
  versionToRestore,
} from './resources.ts'
import { ruleCount, tooLarge } from './rulebookLimits.ts'
import { managedRulebook, type RulebookContext, type Rulebooks } from './rulebookStreams.ts'
import { namedIn, recipeWarnings } from './saveWarnings.ts'

/** The value of a parameter as it may be written; it is kept and answered as text. */
export const parameterValue = {
  type: ['string', 'number', 'boolean'],
  maxLength: limits.parameterValue,
} as const
export type ParameterValue = TypeOf<typeof parameterValue>

export const membershipFields = {
  rule_id: resourceId,
  weight: int64,
  preempts: optional({
    type: 'string',
    enum: ['FLAG', 'PASS'],
    description: 'When the rule triggers, it sets the verdict.',
  }),
  version_id: optional({ ...resourceId, description: 'Pins a version of the rule.' }),
} as const

export const recipeFields = {
  name: resourceName,
  status: { type: 'string', enum: ['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'] },
  threshold: { ...int64, description: 'The score at or above which the recipe flags.' },
  rules: {
    type: 'array',
    maxItems: limits.rulesPerRecipe,
    items: closedObject('Membership', membershipFields),
    description: `Their patterns have a size of at most ${ruleLimits.recipePatterns} together.`,
  },
  base_recipe_id: optional({
    ...resourceId,
    description: 'The managed recipe it extends: that one’s rules come first.',
  }),
  parameters: optional({
    type: 'object',
    maxProperties: limits.parameters,
    propertyNames: { minLength: 1, maxLength: limits.parameterName },
    additionalProperties: parameterValue,
    description: 'Values of parameters of that recipe; answered as texts.',
  }),
} as const
export const recipeInputSchema = closedObject('RecipeInput', recipeFields)
export type RecipeInput = TypeOf<typeof recipeInputSchema>

interface RecipeView extends AuthoredRecipe, ResourceView {
  readonly status: RecipeStatus
}

export const recipeKind: Kind<RecipeInput, OwnRulebook> = {
  name: 'recipes',
  noun: 'recipe',
  prefix: idPrefixes.recipe,
  owner: author,
  refuse: (context, id) => {
    if (!inForce<object>(managedRulebook(context).recipes, id)) return
    const message = 'A managed recipe can be extended, and not be changed.'
    throw new Failure('managed_recipe_read_only', message)
  },
  pinned: (context, account, inputs) =>
    pinnedBy(
      context,
      account,
      inputs.flatMap(({ rules }) => rules),
    ),
  publish: (context, { id, versionId, mode, earlier }, { parameters, ...input }) =>
    publishRecipe(
      {
        ...input,
        ...(parameters && { parameters: textsOf(parameters) }),
        recipeId: id,
        versionId,
        mode,
        ...(earlier && { known: earlier }),
      },
      managedRulebook(context),
    ),
  retire: (_, id) => retireRecipe(id),
  restore: async (context, { account, id, versionId }) => {
    const earlier = recipeOfEvent(await earlierVersion(context, account, { of: id, versionId }))
    const known = await pinnedBy(context, account, earlier?.rules ?? [])
    const managed = managedRulebook(context)
    return restoreRecipe(id, versionId, { managed, known, ...(earlier && { earlier }) })
  },
  view: (state, id): RecipeView | undefined => {
    const entry = state.recipes.get(id)
    if (!entry?.current) return undefined
    const { name, ...content } = recipeContent(entry.current)
    const { version_id } = entry.current
    return { id, name, status: entry.status, ...content, version_id }
  },
  warnings: (context, own, id) => {
    const version = own.recipes.get(id)?.current
    if (!version) return []
    const rulebooks = { own, managed: managedRulebook(context) }
    // whatever its status is, this is what it would be once live
    return recipeWarnings(outlineRecipe(rulebooks, { id, status: 'LIVE', version }))
  },
  named: ({ recipes }) => namedIn(recipes),
}

/** The versions that the recipes of the account pin with these members. */
async function pinnedBy(
  context: RulebookContext,
  account: string,
  members: readonly Membership[],
): Promise<KnownVersions> {
  const { state } = await context.rulebooks.folded(rulebookStream(account))
  return knownPins(context, { account, state }, members)
}

/** Values of parameters in the one form in which they are kept. */
export function textsOf(
  parameters: Readonly<Record<string, ParameterValue>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, `${value}`]))
}

export interface PublishRecipeInput extends AuthoredRecipe, Publishing {
  readonly recipeId: string
  readonly status: RecipeStatus
  /** Versions that are in the log though they may not be in memory any more: what pins one of them may. */
  readonly known?: KnownVersions
}

/**
 * The decision: new content is a new version, a new status alone is not. A recipe that is to run is checked against the managed
 * rulebook of this moment even when only its status is new; one that is taken out of service is not. Throws `invalid_request` with a
 * path for every reference and value that cannot be used, `not_found`, `conflict`.
 */
export function publishRecipe(input: PublishRecipeInput, managed: ManagedRulebook) {
  return (held: RulebookState): readonly RulebookEvent[] => {
    const state = withVersions(held, input.known)
    const entry = entryFor(input, state)
    const content = recipeContent(input)
    const same = isSame(entry?.current && recipeContent(entry.current), content)
    if (entry && same && (input.status === 'DRAFT' || input.status === 'INACTIVE')) {
      return statusChange(entry, input)
    }
    const problems = [
      ...extensionProblems(managed, content),
      ...memberProblems({ own: state, managed }, content),
      ...sizeProblems(state, input),
      ...recipePatternProblems(state, input.recipeId, content.rules),
      ...recipeListProblems(state, input.recipeId, content.rules),
      ...pinnedListProblems(state, content.rules),
    ]
    if (problems.length > 0) throw invalidRequest(problems)
    if (entry && same) return statusChange(entry, input)
    const { recipeId, versionId, status } = input
    const used = managedAmong(state, content.rules)
    return [
      {
        type: 'RecipePublished',
        data: {
          recipe_id: recipeId,
          version_id: versionId,
          status,
          ...content,
          ...(used.length > 0 && { managed: used }),
        },
      },
    ]
  }
}

function entryFor(
  { recipeId, mode }: PublishRecipeInput,
  { recipes }: RulebookState,
): RecipeEntry | undefined {
  const entry = recipes.get(recipeId)
  if (mode === 'replace') mustExist(entry?.current)
  return entry
}

/** The decision: a recipe that a flow names stays (`recipe_in_use`); one that is gone already is no error. Throws `not_found` for one that never was. */
export function retireRecipe(recipeId: string) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const entry = mustExist(state.recipes.get(recipeId))
    if (!entry.current) return []
    if (entry.referrers.length > 0) {
      throw new Failure(
        'recipe_in_use',
        'The recipe is still referenced and cannot be deleted; details names the flows.',
        { details: entry.referrers.map((message) => ({ path: 'id', message })) },
      )
    }
    return [{ type: 'RecipeRetired', data: { recipe_id: recipeId } }]
  }
}

/** A name that is not of the account's own rules is of a managed one, once the names have been checked. */
function managedAmong(state: RulebookState, rules: readonly Membership[]): readonly string[] {
  return rules.map(({ rule_id }) => rule_id).filter((id) => !state.rules.get(id)?.current)
}

function statusChange(entry: RecipeEntry, input: PublishRecipeInput): readonly RulebookEvent[] {
  if (entry.status === input.status) return []
  return [{ type: 'RecipeStatusSet', data: { recipe_id: input.recipeId, status: input.status } }]
}

function memberProblems(rulebooks: Rulebooks, content: AuthoredRecipe): readonly FailureDetail[] {
  const seen = new Set<string>()
  return content.rules.flatMap((member, index) => {
    const twice = seen.has(member.rule_id)
    seen.add(member.rule_id)
    const path = `rules.${index}.rule_id`
    if (twice) return [{ path, message: 'The recipe names this rule twice.' }]
    return rulebooks.own.rules.get(member.rule_id)?.current
      ? isThere(rulebooks.own, member)
        ? []
        : [{ path: `rules.${index}.version_id`, message: 'The rule has no such version.' }]
      : (managedMemberProblems(rulebooks.managed, content, index) ?? [
          { path, message: 'There is no rule with this id.' },
        ])
  })
}

function isThere(state: RulebookState, { rule_id, version_id }: Membership): boolean {
  return version_id === undefined || state.rules.get(rule_id)?.versions.has(version_id) === true
}

function sizeProblems(state: RulebookState, input: PublishRecipeInput): readonly FailureDetail[] {
  const flows = [...(state.recipes.get(input.recipeId)?.referrers ?? [])]
  const sizes = new Map([[input.recipeId, ruleCount(input)]])
  const full = flows.some((flow) =>
    tooLarge(state, state.flows.get(flow)?.current?.recipes ?? [], sizes),
  )
  return full
    ? [{ path: 'rules', message: 'A flow that names the recipe has no room for them.' }]
    : []
}

/** What is wrong with the managed recipe it extends, the threshold and each parameter; nothing for a recipe that extends none. */
function extensionProblems(
  managed: ManagedRulebook,
  content: RecipeContent,
): readonly FailureDetail[] {
  const { base_recipe_id, parameters } = content
  if (base_recipe_id === undefined) {
    if (parameters === undefined) return []
    return [{ path: 'parameters', message: 'Only a recipe with base_recipe_id has parameters.' }]
  }
  const base = inForce(managed.recipes, base_recipe_id)
  if (!base) {
    return [{ path: 'base_recipe_id', message: 'There is no managed recipe with this id.' }]
  }
  const { min, max } = base.threshold_bounds
  const inBounds = content.threshold >= min && content.threshold <= max
  const threshold = { path: 'threshold', message: `Must be from ${min} to ${max}.` }
  const known = new Map(base.parameters.map((parameter) => [parameter.name, parameter]))
  const ofParameters = Object.entries(parameters ?? {}).flatMap(([name, text]) => {
    const parameter = known.get(name)
    const message = parameter
      ? parameterProblem(parameter, text)
      : 'The managed recipe has no such parameter.'
    return message === undefined ? [] : [{ path: `parameters.${name}`, message }]
  })
  return inBounds ? ofParameters : [threshold, ...ofParameters]
}

/** What is wrong with naming a managed rule in this place of the recipe; undefined when it is no managed rule at all. */
function managedMemberProblems(
  managed: ManagedRulebook,
  content: RecipeContent,
  index: number,
): readonly FailureDetail[] | undefined {
  const member = content.rules[index] as Membership
  const rule = inForce(managed.rules, member.rule_id)
  if (!rule) return undefined
  const at = `rules.${index}`
  if (member.version_id !== undefined) {
    return [{ path: `${at}.version_id`, message: 'A managed rule cannot be pinned.' }]
  }
  const { base, bindings } = extensionOf(managed, content)
  if (base?.rules.some(({ rule_id }) => rule_id === member.rule_id)) {
    return [{ path: `${at}.rule_id`, message: 'The recipe that is extended has this rule.' }]
  }
  const lacking = lackingParameter(rule.parameters, bindings)
  if (lacking === undefined) return []
  const message = `The managed rule reads the parameter ${lacking}, which this recipe does not have.`
  return [{ path: `${at}.rule_id`, message }]
}

interface RestoringRecipe extends Pick<PublishRecipeInput, 'known'> {
  readonly managed: ManagedRulebook
  readonly earlier?: RecipeVersion
}

/**
 * The decision: the version keeps its id, so that pins still mean it, and the recipe its status; restoring the current one changes nothing.
 * Throws `not_found`, `invalid_request` with a path for every reference of the version that cannot be used any more.
 */
export function restoreRecipe(
  recipeId: string,
  versionId: string,
  { managed, earlier, known }: RestoringRecipe,
): Decide<OwnRulebook> {
  return (state) => {
    const entry = mustExist(state.recipes.get(recipeId))
    const { version, isCurrent } = versionToRestore(entry, versionId, earlier)
    if (isCurrent) return []
    const { status } = entry
    // decided like a change to this content; only what it throws matters
    const input = { ...version, recipeId, versionId, status, ...(known && { known }) }
    publishRecipe({ ...input, mode: 'replace' }, managed)(state)
    return [{ type: 'RecipeRestored', data: { ...version, recipe_id: recipeId, status } }]
  }
}
