import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { decideAllSteps } from '../../src/commands/rulebook/changes/decideAllSteps.ts'
import { Failure, invalidRequest } from '../../src/domain/failure.ts'
import { runInSlices } from '../../src/domain/load/scheduler.ts'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import {
  createRulebook,
  evolveRulebook,
  type RulebookEntry,
  type RulebookEntryMap,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { branchRulebook } from '../../src/events/rulebook/updateRulebook.ts'
import { everyPauseYields, turnsDuring } from '../support/everyPauseYields.ts'
import { load } from '../support/load.ts'
import { recipeEvent, ruleEvent } from './support/rulebookEvents.ts'
import {
  type Decide,
  decisionOf,
  eventsOf,
  type HistoryStep,
  ownStep,
} from './support/rulebookHistory.ts'

afterEach(() => void vi.restoreAllMocks())

/** The state after those of the steps that are possible. */
function made(steps: readonly HistoryStep[]): RulebookState {
  return steps.reduce<RulebookState>(
    (state, one, count) => eventsOf(decisionOf(one, count), state).reduce(evolveRulebook, state),
    createRulebook(),
  )
}

const kinds = { rules: 'rule', recipes: 'recipe', flows: 'flow' } as const

/** Everything that a decision can see of it. */
function seen(state: RulebookState): unknown {
  return (['rules', 'recipes', 'flows'] as const).map((kind) => {
    const entries: Omit<RulebookEntryMap<RulebookEntry<unknown>>, 'set'> = state[kind]
    const named = [0, 1, 2].map((at) => structuredClone(entries.get(`${kinds[kind]}_${at}`)))
    return {
      named,
      keys: [...entries.keys()],
      size: entries.size,
      has: [0, 1, 2].map((at) => entries.has(`${kinds[kind]}_${at}`)),
    }
  })
}

/** The decision on whatever the rulebook has become. */
const lateDecision = (one: HistoryStep, count: number): Decide => decisionOf(one, 1_000 + count)

/** What the steps give one after the other, and how many of them are refused. */
function inTurn(state: RulebookState, given: readonly HistoryStep[]) {
  const events: RulebookEvent[] = []
  let refused = 0
  for (const [count, one] of given.entries()) {
    const decided = eventsOf(lateDecision(one, count), state, () => {
      refused += 1
    })
    for (const event of structuredClone(decided)) evolveRulebook(state, event)
    events.push(...decided)
  }
  return { events, refused }
}

const steps = fc.array(ownStep, { maxLength: 40 })

describe('a branch of a rulebook', () => {
  test('becomes what the rulebook itself would, and leaves that one as it is', () => {
    fc.assert(
      fc.property(steps, steps, (before, more) => {
        const base = made(before)
        const untouched = seen(base)
        const branch = branchRulebook(base)
        const twin = made(before)
        for (const [count, one] of more.entries()) {
          const events = eventsOf(decisionOf(one, 1_000 + count), twin)
          for (const event of structuredClone(events)) evolveRulebook(branch, event)
          for (const event of structuredClone(events)) evolveRulebook(twin, event)
        }

        expect(seen(branch)).toEqual(seen(twin))
        expect(seen(base)).toEqual(untouched)
      }),
    )
  })
})

describe('several changes decided together', () => {
  test('give the events that they give one after the other, or none when one of them is refused', () => {
    return fc.assert(
      fc.asyncProperty(steps, fc.array(ownStep, { maxLength: 6 }), async (before, more) => {
        const base = made(before)
        const untouched = seen(base)
        const inOrder = inTurn(made(before), more)
        const together = decideAllSteps(
          more.map((one, index) => ({ path: `rules.${index}`, decide: lateDecision(one, index) })),
        )

        if (inOrder.refused === 0) expect(runAtOnce(together(base)).events).toEqual(inOrder.events)
        else {
          const { details = [] } = await failureOf(() => runAtOnce(together(base)))
          expect(details.length).toBeGreaterThanOrEqual(inOrder.refused)
        }
        expect(seen(base)).toEqual(untouched)
      }),
    )
  })

  const refusing = (path: string, failure: Failure) => ({
    path,
    decide: () => {
      throw failure
    },
  })
  const invalid = (...paths: readonly string[]) =>
    invalidRequest(paths.map((path) => ({ path, message: 'Must be otherwise.' })))

  test('say everything that is wrong, each under its place in the request', async () => {
    const inUse = new Failure('rule_in_use', 'It is in use:', {
      details: [{ path: 'id', message: 'rcp_1' }],
    })
    const decide = decideAllSteps([
      refusing('recipes.0', invalid('threshold', 'rules.1.rule_id')),
      refusing('flows.3', new Failure('not_found', 'There is nothing with this id.')),
      refusing('rules.2', inUse),
    ])

    const { code, details } = await failureOf(() => runAtOnce(decide(createRulebook())))

    expect(code).toBe('invalid_request')
    expect(details).toEqual([
      { path: 'recipes.0.content.threshold', message: 'Must be otherwise.' },
      { path: 'recipes.0.content.rules.1.rule_id', message: 'Must be otherwise.' },
      { path: 'flows.3', message: 'There is nothing with this id.' },
      { path: 'rules.2', message: 'It is in use: rcp_1' },
    ])
  })

  test('do not complain of what refers to something that is refused', async () => {
    const substitute = recipeEvent('recipe_0', [], { status: 'DRAFT' })
    const flow: Decide = (state) =>
      decisionOf({ kind: 'flows', what: 'publish', at: 0, of: 1, status: 'LIVE' }, 1)(state)
    const recipe = refusing('recipes.0', invalid('threshold'))

    const alone = await failureOf(() =>
      runAtOnce(decideAllSteps([recipe, { path: 'flows.0', decide: flow }])(createRulebook())),
    )
    const stoodIn = await failureOf(() =>
      runAtOnce(
        decideAllSteps([
          { ...recipe, substitute },
          { path: 'flows.0', decide: flow },
        ])(createRulebook()),
      ),
    )

    expect(alone.details).toHaveLength(2)
    expect(stoodIn.details).toEqual([
      { path: 'recipes.0.content.threshold', message: 'Must be otherwise.' },
    ])
  })

  test('let what is no refusal through', async () => {
    const broken = {
      path: 'rules.0',
      decide: () => {
        throw new TypeError('ours')
      },
    }

    expect(() => runAtOnce(decideAllSteps([broken])(createRulebook()))).toThrow(TypeError)
  })

  test('let others have their turn after each step', async () => {
    everyPauseYields()
    const many = Array.from({ length: 20 }, (_, at) => ({ path: `rules.${at}`, decide: () => [] }))

    const turns = await turnsDuring(() => runInSlices(load, decideAllSteps(many)(createRulebook())))

    expect(turns).toBeGreaterThanOrEqual(20)
  })

  test('are given up as soon as they are more than may be held', async () => {
    let decided = 0
    const all = Array.from({ length: 100 }, (_, at) => ({
      path: `rules.${at}`,
      decide: () => {
        decided += 1
        return [ruleEvent(`rul_${at}`, { name: 'x'.repeat(1_000) })]
      },
    }))

    const failure = await failureOf(() => runAtOnce(decideAllSteps(all, 10_000)(createRulebook())))

    expect(failure.code).toBe('payload_too_large')
    expect(decided).toBe(9)
  })
})

async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}
