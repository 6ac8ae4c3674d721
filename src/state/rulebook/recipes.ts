/** Defines the recipes of an account: their input, what is refused, how they are shown. */

import { Failure, type FailureDetail, requireExisting } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import {
  closedObject,
  inputLimits,
  int64,
  nameSchema,
  optional,
  type TypeOf,
} from '../../domain/jsonSchema.ts'
import { runInSlices } from '../../domain/load/scheduler.ts'
import { ruleLimits } from '../../engine/language/ruleLimits.ts'
import { type AuthoredRecipe, pickRecipeContent } from '../../events/rulebook/authoredContent.ts'
import type { ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import {
  type Membership,
  parseRuleVersion,
  type RecipeContent,
  type RecipeStatus,
  type RecipeVersion,
  type RecordedRuleVersion,
  type RulebookEvent,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import { appendBytesMax } from '../../stores/eventStore.ts'
import {
  branchWithVersions,
  findEarlierVersion,
  findPinnedVersions,
  type KnownVersion,
  toKnownVersion,
} from './earlierVersions.ts'
import { countRules, exceedsFlowRules, findRecipeLimitProblems } from './flowLimits.ts'
import { findPinnedListProblems } from './namedListDecisions.ts'
import { outlineRecipe } from './outlineFlow.ts'
import {
  findParameterProblem,
  findUnboundParameter,
  type RecipeExtension,
  resolveExtension,
} from './recipeParameters.ts'
import {
  type DecidedKind,
  type DeletedKind,
  decideDeletion,
  decidePublication,
  decideRestoration,
  type PublishInput,
} from './resourceDecisions.ts'
import {
  type OwnRulebookTypes,
  ownRulebookAccess,
  type ResourceDefinition,
  type ResourceView,
  resourceIdSchema,
} from './resourceDefinition.ts'
import { type RulebookContext, type Rulebooks, requireManagedRulebook } from './rulebookStreams.ts'
import { findRecipeWarnings } from './rulebookWarnings.ts'

/** The value of a parameter as it may be written; it is stored and answered as text. */
export const parameterValueSchema = {
  type: ['string', 'number', 'boolean'],
  maxLength: inputLimits.parameterValue,
} as const
export type ParameterValue = TypeOf<typeof parameterValueSchema>

export const membershipFields = {
  rule_id: resourceIdSchema,
  weight: int64,
  preempts: optional({
    type: 'string',
    enum: ['FLAG', 'PASS'],
    description: 'When the rule triggers, it sets the verdict.',
  }),
  version_id: optional({ ...resourceIdSchema, description: 'Pins a version of the rule.' }),
} as const

export const recipeFields = {
  name: nameSchema,
  status: { type: 'string', enum: ['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'] },
  threshold: { ...int64, description: 'The score at or above which the recipe flags.' },
  rules: {
    type: 'array',
    maxItems: inputLimits.rulesPerRecipe,
    items: closedObject('Membership', membershipFields),
    description: `Their patterns have a size of at most ${ruleLimits.recipePatterns} together.`,
  },
  base_recipe_id: optional({
    ...resourceIdSchema,
    description: 'The managed recipe it extends: that one’s rules come first.',
  }),
  parameters: optional({
    type: 'object',
    maxProperties: inputLimits.parameters,
    propertyNames: { minLength: 1, maxLength: inputLimits.parameterName },
    additionalProperties: parameterValueSchema,
    description: "Values of that recipe's parameters; returned as text.",
  }),
} as const
export const recipeInputSchema = closedObject('RecipeInput', recipeFields)
export type RecipeInput = TypeOf<typeof recipeInputSchema>

interface RecipeView extends AuthoredRecipe, ResourceView {
  readonly status: RecipeStatus
}

export const recipeDefinition: ResourceDefinition<RecipeInput, OwnRulebookTypes> &
  DeletedKind<RulebookState, RulebookEvent> = {
  name: 'recipes',
  noun: 'recipe',
  prefix: idPrefixes.recipe,
  owner: ownRulebookAccess,
  entries: ({ recipes }) => recipes,
  retiredEvent: (id) => ({ type: 'RecipeRetired', data: { recipe_id: id } }),
  inUse: {
    code: 'recipe_in_use',
    message: 'The recipe is still referenced and cannot be deleted; details names the flows.',
    users: ({ recipes }, id) => [...(recipes.get(id)?.referrers.keys() ?? [])].sort(),
  },
  refuse: (context, id) => {
    if (!requireManagedRulebook(context).recipes.get(id)?.current) return
    const message = 'A managed recipe can be extended, and not be changed.'
    throw new Failure('managed_recipe_read_only', message)
  },
  pinned: (context, account, inputs) => {
    const members = inputs.flatMap(({ rules }) => rules)
    return findPins(context, account, members)
  },
  publish: (context, publishing, { parameters, ...input }) => {
    const texts = parameters && { parameters: toParameterTexts(parameters) }
    const managed = requireManagedRulebook(context)
    return (own) => decideRecipePublication({ own, managed }, { ...input, ...texts, ...publishing })
  },
  retire: (_, id) => (state) => decideDeletion(recipeDefinition, state, { id }),
  restore: async (context, version) => {
    const earlier = await findEarlierVersion<EarlierRecipe>(context, version)
    const managed = requireManagedRulebook(context)
    return (own) => decideRecipeRestoration({ own, managed }, { id: version.id, earlier })
  },
  view: (state, id): RecipeView | undefined => {
    const entry = state.recipes.get(id)
    if (!entry?.current) return undefined
    const { name, ...content } = pickRecipeContent(entry.current)
    const { version_id } = entry.current
    return { id, name, status: entry.status, ...content, version_id }
  },
  warnings: (context, own, { id }) => {
    const version = own.recipes.get(id)?.current
    if (!version) return []
    const rulebooks = { own, managed: requireManagedRulebook(context) }
    // whatever its status is, this is what it would be once live
    const outlined = outlineRecipe(rulebooks, { id, status: 'LIVE', version })
    return runInSlices(context, findRecipeWarnings(outlined))
  },
}

/** The versions that the recipes of the account pin with these members. */
async function findPins(
  context: RulebookContext,
  account: string,
  members: readonly Membership[],
): Promise<readonly KnownVersion[]> {
  const { state } = await context.rulebooks.getFolded(rulebookStream(account))
  return findPinnedVersions(context, { account, state }, members)
}

/** Values of parameters as they are stored. */
export function toParameterTexts(
  parameters: Readonly<Record<string, ParameterValue>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, `${value}`]))
}

export interface PublishRecipeInput extends AuthoredRecipe, PublishInput {
  readonly status: RecipeStatus
}

/** How recipes of this status, checked against these rulebooks, are decided on. */
function buildRecipeKind(
  { own, managed }: Rulebooks,
  status: RecipeStatus,
): DecidedKind<RulebookState, RulebookEvent, AuthoredRecipe> {
  return {
    ...recipeDefinition,
    current: ({ recipes }, id) => recipes.get(id)?.current,
    pick: pickRecipeContent,
    checksUnchanged: status === 'LIVE' || status === 'SHADOW',
    problems: (state, id, content) => [
      ...findExtensionProblems(managed, content),
      ...findMemberProblems({ own: state, managed }, content),
      ...findSizeProblems(state, id, content),
      ...findRecipeLimitProblems(state, id, content.rules),
      ...findPinnedListProblems(state, content.rules),
      ...findPinnedSizeProblems(state, content.rules),
    ],
    versionEvent: (change, id, recipe) => {
      // a name that is not of the account's own rules is of a managed one
      const names = recipe.rules.map(({ rule_id }) => rule_id)
      const used = names.filter((name) => !own.rules.get(name)?.current)
      const pinned = listPinnedVersions(own, recipe.rules).map(
        ({ rule_id, ...version }): RecordedRuleVersion => ({
          rule_id,
          ...parseRuleVersion(version),
        }),
      )
      const data = {
        recipe_id: id,
        status,
        ...recipe,
        ...(used.length > 0 && { managed: used }),
        ...(pinned.length > 0 && { pinned }),
      }
      return { type: `Recipe${change}`, data }
    },
  }
}

/**
 * The decision: new content is a new version, a new status alone is not. A recipe that is to run is checked against the
 * managed rulebook of this moment even when only its status is new; one that is taken out of service is not. Throws
 * `invalid_request` with a path for every reference and value that cannot be used, `not_found`, `conflict`.
 */
export function decideRecipePublication(
  { own, managed }: Rulebooks,
  input: PublishRecipeInput,
): readonly RulebookEvent[] {
  const { id, status } = input
  const state = branchWithVersions(own, input.known)
  const kind = buildRecipeKind({ own: state, managed }, status)
  const events = decidePublication(kind, state, input)
  if (events.length > 0 || own.recipes.get(id)?.status === status) return events
  return [{ type: 'RecipeStatusSet', data: { recipe_id: id, status } }]
}

/** A version of a recipe as its event has it. */
interface EarlierRecipe extends RecipeVersion {
  readonly pinned?: readonly RecordedRuleVersion[]
}

interface RestoreRecipeInput extends Pick<PublishInput, 'id'> {
  readonly earlier: EarlierRecipe | undefined
}

/** The decision, as for other resources; the recipe keeps its status. */
export function decideRecipeRestoration(
  { own, managed }: Rulebooks,
  restored: RestoreRecipeInput,
): readonly RulebookEvent[] {
  const { status } = requireExisting(own.recipes.get(restored.id))
  const state = branchWithVersions(own, restored.earlier?.pinned?.map(toKnownVersion))
  return decideRestoration(buildRecipeKind({ own: state, managed }, status), state, restored)
}

function listPinnedVersions(
  state: RulebookState,
  members: readonly Membership[],
): readonly KnownVersion[] {
  return members.flatMap(({ rule_id, version_id = '' }) => {
    const version = state.rules.get(rule_id)?.versions.get(version_id)
    return version ? [{ rule_id, ...version }] : []
  })
}

/** Bytes that the pinned versions of a recipe may come to: they are part of its event, which every store must take. */
const pinnedBytesMax = 0.75 * appendBytesMax

function findPinnedSizeProblems(
  state: RulebookState,
  members: readonly Membership[],
): readonly FailureDetail[] {
  let bytes = 0
  // their expressions are not parsed: those of five hundred pins may be 60 MB
  for (const { name, text, expression } of listPinnedVersions(state, members)) {
    bytes += Buffer.byteLength(JSON.stringify(name + text)) + Buffer.byteLength(expression)
  }
  if (bytes <= pinnedBytesMax) return []
  const message = `The pinned versions come to ${bytes} bytes as they are compiled, and a recipe may pin ${pinnedBytesMax}.`
  return [{ path: 'rules', message }]
}

function findMemberProblems(
  rulebooks: Rulebooks,
  content: AuthoredRecipe,
): readonly FailureDetail[] {
  const extension = resolveExtension(rulebooks.managed, content)
  const seen = new Set<string>()
  return content.rules.flatMap((member, index) => {
    const problem = seen.has(member.rule_id)
      ? { path: 'rule_id', message: 'The recipe names this rule twice.' }
      : findMemberProblem(rulebooks, extension, member)
    seen.add(member.rule_id)
    return problem ? [{ ...problem, path: `rules.${index}.${problem.path}` }] : []
  })
}

/** The problem of one member, which names a rule of the account, or else a managed one. */
function findMemberProblem(
  { own, managed }: Rulebooks,
  { base, bindings }: RecipeExtension,
  { rule_id, version_id }: Membership,
): FailureDetail | undefined {
  const path = 'rule_id'
  const entry = own.rules.get(rule_id)
  if (entry?.current) {
    if (version_id === undefined || entry.versions.has(version_id)) return undefined
    return { path: 'version_id', message: 'The rule has no such version.' }
  }
  const rule = managed.rules.get(rule_id)?.current
  if (!rule) return { path, message: 'There is no rule with this id.' }
  if (version_id !== undefined) {
    return { path: 'version_id', message: 'A managed rule cannot be pinned.' }
  }
  if (base?.rules.some((member) => member.rule_id === rule_id)) {
    return { path, message: 'The recipe that is extended has this rule.' }
  }
  const lacking = findUnboundParameter(rule.parameters, bindings)
  if (lacking === undefined) return undefined
  const message = `The managed rule reads the parameter ${lacking}, which this recipe does not have.`
  return { path, message }
}

function findSizeProblems(
  state: RulebookState,
  id: string,
  content: AuthoredRecipe,
): readonly FailureDetail[] {
  const sizes = new Map([[id, countRules(content)]])
  const isFull = [...(state.recipes.get(id)?.referrers.keys() ?? [])].some((flow) =>
    exceedsFlowRules(state, state.flows.get(flow)?.current?.recipes ?? [], sizes),
  )
  if (!isFull) return []
  return [{ path: 'rules', message: 'A flow that names the recipe would have too many rules.' }]
}

/** What is wrong with the managed recipe it extends, threshold and parameters; nothing when it extends none. */
function findExtensionProblems(
  managed: ManagedRulebook,
  content: RecipeContent,
): readonly FailureDetail[] {
  const { base_recipe_id, parameters } = content
  if (base_recipe_id === undefined) {
    if (parameters === undefined) return []
    return [{ path: 'parameters', message: 'Only a recipe with base_recipe_id has parameters.' }]
  }
  const base = managed.recipes.get(base_recipe_id)?.current
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
      ? findParameterProblem(parameter, text)
      : 'The managed recipe has no such parameter.'
    return message === undefined ? [] : [{ path: `parameters.${name}`, message }]
  })
  return inBounds ? ofParameters : [threshold, ...ofParameters]
}
