import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'
import { semanticsVersion } from '../../src/engine/language/semantics.ts'
import type { Plan } from '../../src/engine/run/plan.ts'
import {
  type CompiledPlanCache,
  openCompiledPlanCache,
} from '../../src/state/evaluation/flowPlanCache.ts'
import { load } from '../support/load.ts'

afterEach(() => void vi.restoreAllMocks())

const compiled = vi.hoisted(() => [] as string[])

vi.mock('../../src/engine/compile/compilePlannedRule.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/compile/compilePlannedRule.ts')>()
  const compilePlannedRule: typeof module.compilePlannedRule = (planned, ...rest) => {
    compiled.push(planned.rule_id)
    return module.compilePlannedRule(planned, ...rest)
  }
  return { ...module, compilePlannedRule }
})

function planOf(id: string, ...rules: readonly string[]): Plan {
  const planned = rules.map((text, index) => {
    const parsed = parseRule(text)
    if ('problems' in parsed) throw new Error(parsed.problems[0]?.message)
    const { expression } = parsed
    const rule_id = `${id}-${index}`
    return { rule_id, type: 'CUSTOM', name: '', version_id: '', weight: 1, expression } as const
  })
  const recipe = {
    recipe_id: '',
    version_id: '',
    status: 'LIVE',
    threshold: 1,
    rules: planned,
  } as const
  return { flow_id: id, flow_version_id: '', semantics: semanticsVersion, recipes: [recipe] }
}

const ready = (plans: CompiledPlanCache, account: string, plan: Plan) =>
  plans.getOrCompile({ account, digest: plan.flow_id, plan })

describe('compiled plans', () => {
  test('are one account’s own, and kept only under the digest that they have', async () => {
    const plans = openCompiledPlanCache(load, 1e6)
    const plan = planOf('p', 'signal.existing_user')

    const recorded = { account: 'a', digest: 'p' }

    await plans.getRecorded({ ...recorded, read: async () => ({ plan, digest: 'another' }) })
    expect(plans.cached('a', 'p')).toBeUndefined()
    await plans.getRecorded({ ...recorded, read: async () => ({ plan, digest: 'p' }) })

    expect(plans.cached('a', 'p')?.plan).toBe(plan)
    expect(plans.cached('b', 'p')).toBeUndefined()
  })

  test('are read from the log once, also those that were made before', async () => {
    const plans = openCompiledPlanCache(load, 1e6)
    const plan = planOf('p', 'signal.existing_user')
    let reads = 0
    const read = async () => {
      reads += 1
      return { plan: planOf('p', 'signal.existing_user'), digest: 'p' }
    }
    const made = await ready(plans, 'a', plan)

    const asked = { account: 'a', digest: 'p', read }
    const one = await plans.getRecorded(asked)
    const later = await plans.getRecorded(asked)

    expect(reads).toBe(1)
    expect(one).toBe(made)
    expect(later).toBe(made)
  })

  test('that the log does not have as their digest says are read and shown as they are', async () => {
    const plans = openCompiledPlanCache(load, 1e6)
    const forged = planOf('p', 'list.block')
    await ready(plans, 'a', planOf('p', 'signal.existing_user'))

    const read = async () => ({ plan: forged, digest: 'another' })
    const found = await plans.getRecorded({ account: 'a', digest: 'p', read })

    expect(found).toMatchObject({ digest: 'another', plan: forged })
    expect(plans.cached('a', 'p')?.plan).not.toBe(forged)
  })
})
