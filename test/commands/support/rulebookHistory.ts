/** Random histories of an account's rulebook and of the managed one, decided as the service decides them. */

import fc from 'fast-check'
import { managedRecipeDefinition } from '../../../src/commands/rulebook/managed/managedRecipes.ts'
import { managedRuleDefinition } from '../../../src/commands/rulebook/managed/managedRules.ts'
import { Failure } from '../../../src/domain/failure.ts'
import type { Expression } from '../../../src/engine/language/expression.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
  type ManagedRulebookEvent,
} from '../../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  type RecipeStatus,
  type RulebookEvent,
  type RulebookState,
} from '../../../src/events/rulebook/rulebook.ts'
import { readResourceId, type VersionEvent } from '../../../src/events/rulebook/versionEvents.ts'
import { compileManagedRule } from '../../../src/state/rulebook/compileRule.ts'
import { type KnownVersion, toKnownVersion } from '../../../src/state/rulebook/earlierVersions.ts'
import { flowDefinition } from '../../../src/state/rulebook/flows.ts'
import {
  decideRecipePublication,
  decideRecipeRestoration,
  recipeDefinition,
} from '../../../src/state/rulebook/recipes.ts'
import {
  decideDeletion,
  decidePublication,
  decideRestoration,
} from '../../../src/state/rulebook/resourceDecisions.ts'
import type { Rulebooks } from '../../../src/state/rulebook/rulebookStreams.ts'
import { ruleDefinition } from '../../../src/state/rulebook/rules.ts'

const kinds = ['rules', 'recipes', 'flows', 'managed rules', 'managed recipes'] as const
type Kind = (typeof kinds)[number]

export interface HistoryStep {
  readonly kind: Kind
  readonly what: 'publish' | 'restore' | 'retire'
  /** Which of its kind. */
  readonly at: number
  /** Which version is restored; what is published. */
  readonly of: number
  readonly status: RecipeStatus
}

export const historyStep = fc.record<HistoryStep>({
  kind: fc.constantFrom(...kinds, 'recipes', 'recipes'),
  what: fc.constantFrom('publish', 'publish', 'publish', 'restore', 'retire'),
  at: fc.nat(1),
  of: fc.nat(4095),
  status: fc.constantFrom('LIVE', 'LIVE', 'SHADOW', 'INACTIVE', 'DRAFT'),
})

/** One of an account's own rulebook, without what is managed and without pins of versions. */
export const ownStep = fc.record<HistoryStep>({
  kind: fc.constantFrom('rules', 'recipes', 'flows'),
  what: fc.constantFrom('publish', 'publish', 'restore', 'retire'),
  at: fc.nat(1),
  of: fc.constantFrom(0, 1, 2, 3, 4, 7, 129, 130, 131, 259),
  status: fc.constant('LIVE'),
})

/** The decision that a step of an account's own rulebook asks for; `count` tells versions apart. */
export const decisionOf =
  (step: HistoryStep, count: number): Decide =>
  (own) => {
    const rulebooks = { own, managed: createManagedRulebook() }
    return ownDecision({ step, rulebooks, versionId: `ver_${count}`, events: undefined })
  }

export type Decide = (state: RulebookState) => readonly RulebookEvent[]

/** What is decided; nothing when it is refused. */
export function eventsOf(
  decide: Decide,
  state: RulebookState,
  onRefused: () => void = () => undefined,
): readonly RulebookEvent[] {
  try {
    return decide(state)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    onRefused()
    return []
  }
}

/** Something of everything, so that most of what follows is not refused. */
export const settledStart: readonly HistoryStep[] = [
  { kind: 'rules', what: 'publish', at: 0, of: 1, status: 'LIVE' },
  { kind: 'rules', what: 'publish', at: 1, of: 2, status: 'LIVE' },
  { kind: 'managed rules', what: 'publish', at: 0, of: 1, status: 'LIVE' },
  { kind: 'managed rules', what: 'publish', at: 1, of: 2, status: 'LIVE' },
  { kind: 'managed recipes', what: 'publish', at: 0, of: 5, status: 'LIVE' },
  { kind: 'recipes', what: 'publish', at: 0, of: 3, status: 'LIVE' },
  { kind: 'recipes', what: 'publish', at: 1, of: 25, status: 'LIVE' },
  { kind: 'flows', what: 'publish', at: 0, of: 3, status: 'LIVE' },
  { kind: 'flows', what: 'publish', at: 1, of: 1, status: 'LIVE' },
]

export interface History extends Rulebooks {
  /** Everything decided so far, in order. */
  readonly events: (RulebookEvent | ManagedRulebookEvent)[]
  /** Carries the step out; answers whether anything came of it. */
  readonly take: (step: HistoryStep) => boolean
}

/** A history before its first step. */
export function newHistory(): History {
  const own: RulebookState = createRulebook()
  const managed = createManagedRulebook()
  const events: (RulebookEvent | ManagedRulebookEvent)[] = []
  let versions = 0

  const take = (step: HistoryStep): boolean => {
    versions += 1
    const rulebooks = { own, managed }
    const decided = decidedBy({ step, rulebooks, versionId: `ver_${versions}`, events })
    events.push(...decided.own, ...decided.managed)
    decided.own.reduce(evolveRulebook, own)
    decided.managed.reduce(evolveManagedRulebook, managed)
    return decided.own.length + decided.managed.length > 0
  }
  return { own, managed, events, take }
}

interface Decided {
  readonly own: readonly RulebookEvent[]
  readonly managed: readonly ManagedRulebookEvent[]
}

function decidedBy(asked: Asked): Decided {
  try {
    return asked.step.kind.startsWith('managed')
      ? { own: [], managed: managedDecision(asked) }
      : { own: ownDecision(asked), managed: [] }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { own: [], managed: [] }
  }
}

const bit = (of: number, at: number) => ((of >> at) & 1) === 1
const nth = <Item>(items: Iterable<Item> | undefined, of: number): Item | undefined => {
  const all = [...(items ?? [])]
  return all[of % all.length]
}

interface Asked {
  readonly step: HistoryStep
  readonly rulebooks: Rulebooks
  readonly versionId: string
  /** Everything decided before; undefined where any version is taken for one that there has been. */
  readonly events: History['events'] | undefined
}

/** The versions that rules have had. */
function ruleVersions(events: Asked['events'] = []): readonly KnownVersion[] {
  return events.flatMap(({ type, data }) => (type === 'RulePublished' ? toKnownVersion(data) : []))
}

/**
 * A version that it has had, as the log has it; the current one, or one of this content, where the log is of no
 * interest.
 */
function earlierOf<Version>({ events, step, rulebooks }: Asked, id: string, content: object) {
  if (!events) {
    const { rules, recipes, flows } = rulebooks.own
    const { current } = rules.get(id) ?? recipes.get(id) ?? flows.get(id) ?? {}
    const version_id = step.of === 0 && current ? current.version_id : `ver_of_${step.of}`
    return { ...content, version_id } as Version
  }
  const given = events.filter(
    (event): event is VersionEvent =>
      'version_id' in event.data && readResourceId(event as VersionEvent) === id,
  )
  const data = nth(given, step.of)?.data as Readonly<Record<string, unknown>> | undefined
  if (!data) return undefined
  const { rule_id: _, recipe_id: _recipe, flow_id: _flow, status: _status, ...version } = data
  return version as Version
}

function ownDecision(asked: Asked): readonly RulebookEvent[] {
  const { kind } = asked.step
  if (kind === 'rules') return ruleDecision(asked)
  return kind === 'flows' ? flowDecision(asked) : recipeDecision(asked)
}

/** Ids and a name for what is published, and a version that there has been. */
function idsOf({ step: { kind, at, of }, rulebooks: { own }, versionId }: Asked) {
  const entries = { rules: own.rules, recipes: own.recipes, flows: own.flows }[kind as 'rules']
  const id = `${kind.slice(0, -1)}_${at}`
  const mode = entries.has(id) ? 'replace' : 'create'
  return { id, published: { id, versionId, mode } as const, name: `${kind} ${of % 5}` }
}

function ruleDecision(asked: Asked): readonly RulebookEvent[] {
  const { own } = asked.rulebooks
  const { what, of } = asked.step
  const { id, published, name } = idsOf(asked)
  if (what === 'retire') return decideDeletion(ruleDefinition, own, { id })
  const text = `${of % 7} == ${of % 3}`
  const content = { name, text, expression: compiled(text, false) }
  if (what === 'restore')
    return decideRestoration(ruleDefinition, own, { id, earlier: earlierOf(asked, id, content) })
  return decidePublication(ruleDefinition, own, { ...published, ...content })
}

function flowDecision(asked: Asked): readonly RulebookEvent[] {
  const { own } = asked.rulebooks
  const { what, of } = asked.step
  const { id, published, name } = idsOf(asked)
  if (what === 'retire') return decideDeletion(flowDefinition, own, { id })
  const chosen = ['recipe_0', 'recipe_1'].filter((_, index) => bit(of, index))
  const content = { name, recipes: bit(of, 2) ? chosen.reverse() : chosen }
  if (what === 'restore')
    return decideRestoration(flowDefinition, own, { id, earlier: earlierOf(asked, id, content) })
  return decidePublication(flowDefinition, own, { ...published, ...content })
}

function recipeDecision(asked: Asked): readonly RulebookEvent[] {
  const { own, managed } = asked.rulebooks
  const { what, of, status } = asked.step
  const { id, published, name } = idsOf(asked)
  if (what === 'retire') return decideDeletion(recipeDefinition, own, { id })
  const known = ruleVersions(asked.events)
  const content = { name, ...recipeWith(of, known) }
  if (what === 'restore') {
    return decideRecipeRestoration({ own, managed }, { id, earlier: earlierOf(asked, id, content) })
  }
  return decideRecipePublication({ own, managed }, { ...published, ...content, status, known })
}

/**
 * Own rules (one of them pinned), managed ones, a base with or without a parameter: each bit of the number decides one.
 */
function recipeWith(of: number, known: readonly KnownVersion[]) {
  const versions = known.filter(({ rule_id }) => rule_id === 'rule_0')
  const pin = bit(of, 6) ? nth(versions, of)?.version_id : undefined
  const members = [
    { rule_id: 'rule_0', weight: 1 + (of % 3), ...(pin !== undefined && { version_id: pin }) },
    { rule_id: 'rule_1', weight: 20, ...(bit(of, 7) && { preempts: 'FLAG' as const }) },
    { rule_id: 'managed_0', weight: 30 },
    { rule_id: 'managed_1', weight: 40 },
  ].filter((_, index) => bit(of, index))
  return {
    threshold: of % 60,
    rules: bit(of, 8) ? members.reverse() : members,
    ...(bit(of, 4) && { base_recipe_id: 'base_0' }),
    ...(bit(of, 4) && bit(of, 5) && { parameters: { limit: `${of % 9}` } }),
  }
}

function managedDecision(asked: Asked): readonly ManagedRulebookEvent[] {
  return asked.step.kind === 'managed rules' ? managedRuleDecision(asked) : baseDecision(asked)
}

function managedRuleDecision(asked: Asked): readonly ManagedRulebookEvent[] {
  const { managed } = asked.rulebooks
  const { what, at, of } = asked.step
  const id = `managed_${at}`
  if (what === 'retire') return decideDeletion(managedRuleDefinition, managed, { id })
  if (what === 'restore')
    return decideRestoration(managedRuleDefinition, managed, {
      id,
      earlier: earlierOf(asked, id, {}),
    })
  const reads = bit(of, 3)
  const text = reads ? `param.limit > ${of % 5}` : `${of % 5} > 2`
  return decidePublication(managedRuleDefinition, managed, {
    id,
    versionId: asked.versionId,
    mode: managed.rules.get(id)?.current ? 'replace' : 'create',
    name: `${id} ${of % 4}`,
    description: 'd',
    text,
    expression: compiled(text, reads),
    parameters: reads ? [{ name: 'limit', type: 'INT' }] : [],
  })
}

function baseDecision(asked: Asked): readonly ManagedRulebookEvent[] {
  const { managed } = asked.rulebooks
  const { what, of } = asked.step
  const id = 'base_0'
  if (what === 'retire') return decideDeletion(managedRecipeDefinition, managed, { id })
  if (what === 'restore')
    return decideRestoration(managedRecipeDefinition, managed, {
      id,
      earlier: earlierOf(asked, id, {}),
    })
  const limit = { name: 'limit', type: 'INT' as const, default_value: `${of % 4}` }
  return decidePublication(managedRecipeDefinition, managed, {
    id,
    versionId: asked.versionId,
    mode: managed.recipes.get(id)?.current ? 'replace' : 'create',
    description: `d ${of % 2}`,
    threshold: 50,
    threshold_bounds: { min: 0, max: 100 },
    parameters: bit(of, 2) ? [limit] : [],
    rules: ['managed_0', 'managed_1']
      .filter((_, index) => bit(of, index))
      .map((rule_id, index) => ({ rule_id, weight: 5 + index })),
  })
}

const expressions = new Map<string, Expression>()

function compiled(text: string, reads: boolean): Expression {
  const known = expressions.get(text)
  if (known) return known
  const made = compileManagedRule(text, reads ? [{ name: 'limit', type: 'INT' }] : [])
  expressions.set(text, made)
  return made
}
