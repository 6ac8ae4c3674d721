/** Compiles and checks the draft of a flow as if it were saved. */

import {
  Failure,
  type FailureDetail,
  invalidRequest,
  requireExisting,
} from '../../domain/failure.ts'
import {
  asSchemaOf,
  closedObject,
  inputLimits,
  type ObjectOf,
  optional,
  optionalFields,
  type TypeOf,
} from '../../domain/jsonSchema.ts'
import type { ListKind } from '../../domain/lists/lists.ts'
import type { Steps } from '../../domain/load/steps.ts'
import {
  type AuthoredRecipe,
  pickRuleContent,
  toRecordedRule,
} from '../../events/rulebook/authoredContent.ts'
import {
  createRulebook,
  evolveRulebook,
  type Membership,
  type RulebookEvent,
  type RulebookState,
  type RuleContent,
} from '../../events/rulebook/rulebook.ts'
import { invalidRule, tryCompileRule } from '../../state/rulebook/compileRule.ts'
import type { KnownVersion } from '../../state/rulebook/earlierVersions.ts'
import { flowRulesMax } from '../../state/rulebook/flowLimits.ts'
import { flowDefinition } from '../../state/rulebook/flows.ts'
import {
  decideRecipePublication,
  membershipFields,
  recipeFields,
  toParameterTexts,
} from '../../state/rulebook/recipes.ts'
import { decidePublication } from '../../state/rulebook/resourceDecisions.ts'
import type { Rulebooks } from '../../state/rulebook/rulebookStreams.ts'
import { type RuleInput, ruleFields } from '../../state/rulebook/rules.ts'

/** A rule that stands in a draft only. */
type DraftRuleInput = Pick<Membership, 'weight' | 'preempts'> &
  Pick<RuleInput, 'expression'> &
  Partial<RuleInput>

const draftMember = asSchemaOf<Membership | DraftRuleInput>({
  ...closedObject(
    'DraftMembership',
    { ...optionalFields({ ...membershipFields, ...ruleFields }), weight: membershipFields.weight },
    { description: 'A rule by rule_id, or a rule of the draft by expression.' },
  ),
  anyOf: [{ required: ['rule_id'] }, { required: ['expression'] }],
  not: { required: ['rule_id', 'expression'] },
})

const draftRecipeFields = {
  ...recipeFields,
  name: optional(recipeFields.name),
  status: optional({ type: 'string', enum: ['LIVE', 'SHADOW'], default: 'LIVE' }),
  rules: { ...recipeFields.rules, items: draftMember },
} as const
type DraftRecipeInput = ObjectOf<typeof draftRecipeFields>

const draftRecipe = asSchemaOf<string | DraftRecipeInput>({
  ...closedObject('DraftRecipe', draftRecipeFields, {
    description: 'The id of a recipe, or a recipe of the draft.',
  }),
  type: ['string', 'object'],
  minLength: 1,
  maxLength: inputLimits.id,
})

export const draftSchema = closedObject(
  'DraftFlow',
  {
    recipes: {
      type: 'array',
      minItems: 1,
      maxItems: inputLimits.recipesPerFlow,
      items: draftRecipe,
    },
  },
  { description: "Runs in place of the flow's recipes." },
)
export type DraftFlowInput = TypeOf<typeof draftSchema>

/**
 * Compiles one rule at each step. Throws `invalid_request` when the draft holds more rules than a flow may run,
 * `invalid_rule` with every mistake of every rule.
 */
export function* compileDraft(
  { recipes }: DraftFlowInput,
  lists: DraftCompilation['lists'],
): Steps<DraftFlow> {
  const given = recipes.filter((recipe) => typeof recipe !== 'string')
  if (given.reduce((sum, recipe) => sum + recipe.rules.length, 0) > flowRulesMax) {
    const message = `A flow runs at most ${flowRulesMax} rules.`
    throw invalidRequest([{ path: 'draft.recipes', message }])
  }
  const compiling: DraftCompilation = { details: [], lists }
  const compiled: (string | DraftRecipe)[] = []
  for (const [index, recipe] of recipes.entries()) {
    const isId = typeof recipe === 'string'
    compiled.push(isId ? recipe : yield* compileRecipe(recipe, index, compiling))
  }
  const { details } = compiling
  if (details.length > 0) throw invalidRule('draft', details.slice(0, detailsMax))
  return { recipes: compiled }
}

const detailsMax = 100

interface DraftCompilation {
  readonly details: FailureDetail[]
  /** Those that the rules may ask, by name. */
  readonly lists: ReadonlyMap<string, ListKind>
}

function* compileRecipe(
  { status = 'LIVE', name = '', parameters, ...recipe }: DraftRecipeInput,
  index: number,
  { details, lists }: DraftCompilation,
): Steps<DraftRecipe> {
  const rules: DraftRecipe['rules'][number][] = []
  for (const [at, member] of recipe.rules.entries()) {
    if (!('expression' in member)) {
      rules.push(member)
      continue
    }
    yield
    const id = draftRuleId(index, at)
    const compiled = tryCompileRule(`${id}.expression`, member.expression, { lists })
    if ('details' in compiled) details.push(...compiled.details)
    else rules.push(toRecordedRule({ name: id, ...member }, compiled.expression))
  }
  return {
    ...recipe,
    ...(parameters && { parameters: toParameterTexts(parameters) }),
    status,
    name,
    rules,
  }
}

interface DraftRule extends RuleContent, Pick<Membership, 'weight' | 'preempts'> {}

export interface DraftRecipe extends Omit<AuthoredRecipe, 'rules'> {
  readonly status: 'LIVE' | 'SHADOW'
  readonly rules: readonly (Membership | DraftRule)[]
}

/** The ids of recipes that there are, and recipes of the draft's own, in the flow's order. */
export interface DraftFlow {
  readonly recipes: readonly (string | DraftRecipe)[]
  /** Versions that the draft's recipes may pin though no rulebook holds them; see `publishRecipe`. */
  readonly known?: readonly KnownVersion[]
}

/** Stands where a version has its id: what is only drafted has none. */
const draftVersion = 'draft'

export function isDraftId(id: string): boolean {
  return id.startsWith('draft.')
}

/** The id that a recipe of the draft has in results: its place in the request. */
export function draftRecipeId(recipe: number): string {
  return `draft.recipes.${recipe}`
}

function draftRuleId(recipe: number, rule: number): string {
  return `${draftRecipeId(recipe)}.rules.${rule}`
}

/**
 * Rulebooks that hold the drafted flow under the flow's own id, and whatever it names; the given ones stay as they are.
 * What the draft holds is checked as if it were saved. Throws `not_found` for an unknown flow, `invalid_request` with
 * the path of everything that cannot be used.
 */
export function buildDraftRulebooks(
  { own, managed }: Rulebooks,
  flowId: string,
  { recipes, known }: DraftFlow,
): Rulebooks {
  const { name } = requireExisting(own.flows.get(flowId)?.current)
  const drafted = { ...createRulebook(), lists: own.lists }
  const created = { versionId: draftVersion, mode: 'create' } as const
  const problems: FailureDetail[] = []
  const recipeIds: string[] = []
  for (const [index, recipe] of recipes.entries()) {
    const id = typeof recipe === 'string' ? recipe : draftRecipeId(index)
    recipeIds.push(id)
    if (typeof recipe === 'string') {
      copyRecipe(own, drafted, id)
      continue
    }
    const rules = recipe.rules.map((member, at) =>
      addMember(own, drafted, { member, rule_id: draftRuleId(index, at) }),
    )
    const input = { ...recipe, ...created, id, rules, known }
    problems.push(
      ...applyDecision(drafted, id, (state) =>
        decideRecipePublication({ own: state, managed }, input),
      ),
    )
  }
  // a recipe that could not be added has been complained about; as part of the flow it would be once more
  if (problems.length === 0) {
    const input = { ...created, id: flowId, name, recipes: recipeIds }
    problems.push(
      ...applyDecision(drafted, 'draft', (state) =>
        decidePublication(flowDefinition, state, input),
      ),
    )
  }
  if (problems.length > 0) throw invalidRequest(problems)
  return { own: drafted, managed }
}

interface DraftMember {
  readonly member: DraftRecipe['rules'][number]
  readonly rule_id: string
}

function addMember(
  own: RulebookState,
  drafted: RulebookState,
  { member, rule_id }: DraftMember,
): Membership {
  if (!('expression' in member)) {
    copyRule(own, drafted, member.rule_id)
    return member
  }
  const { weight, preempts } = member
  const data = { rule_id, version_id: draftVersion, ...pickRuleContent(member) }
  evolveRulebook(drafted, { type: 'RulePublished', data })
  return { rule_id, weight, ...(preempts && { preempts }) }
}

/** Carries the decision out on the draft, or answers why not, with paths below `path`. */
function applyDecision(
  drafted: RulebookState,
  path: string,
  decide: (state: RulebookState) => readonly RulebookEvent[],
): readonly FailureDetail[] {
  try {
    for (const event of decide(drafted)) evolveRulebook(drafted, event)
    return []
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error
    return (error.details ?? []).map((detail) => ({ ...detail, path: `${path}.${detail.path}` }))
  }
}

function copyRecipe(own: RulebookState, drafted: RulebookState, id: string): void {
  const entry = own.recipes.get(id)
  if (!entry || drafted.recipes.has(id)) return
  drafted.recipes.set(id, { ...entry, referrers: new Map() })
  for (const { rule_id } of entry.current?.rules ?? []) copyRule(own, drafted, rule_id)
}

function copyRule(own: RulebookState, drafted: RulebookState, id: string): void {
  const entry = own.rules.get(id)
  if (!entry || drafted.rules.has(id)) return
  // versions and referrers are noted in place
  drafted.rules.set(id, { ...entry, versions: new Map(entry.versions), referrers: new Map() })
}
