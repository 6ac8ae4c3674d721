import { expect, test, vi } from 'vitest'
import { openCustomer, openVigil } from '../support/openVigil.ts'

const work = vi.hoisted(() => ({
  rules: [] as string[],
  patterns: [] as string[],
  digested: 0,
}))

vi.mock('../../src/events/evaluation/planStreams.ts', async (load) => {
  const module = await load<typeof import('../../src/events/evaluation/planStreams.ts')>()
  const computePlanDigest: typeof module.computePlanDigest = (account, content) => {
    if ('expression' in content) work.digested += 1
    return module.computePlanDigest(account, content)
  }
  return { ...module, computePlanDigest }
})

vi.mock('../../src/engine/compile/compilePlannedRule.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/compile/compilePlannedRule.ts')>()
  const compilePlannedRule: typeof module.compilePlannedRule = (planned, ...rest) => {
    work.rules.push(planned.rule_id)
    return module.compilePlannedRule(planned, ...rest)
  }
  return { ...module, compilePlannedRule }
})

vi.mock('../../src/engine/language/pattern/re2Pattern.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/language/pattern/re2Pattern.ts')>()
  const compileRe2Pattern: typeof module.compileRe2Pattern = (pattern) => {
    work.patterns.push(pattern)
    return module.compileRe2Pattern(pattern)
  }
  return { ...module, compileRe2Pattern }
})

function forgetWork(): void {
  work.rules.length = 0
  work.patterns.length = 0
  work.digested = 0
}

test('what is evaluated, shown, replayed and tried is compiled once', async () => {
  let vigil = await openVigil()
  try {
    const shop = await openCustomer(vigil)
    forgetWork()
    const flow = await shop.flowOf('signal.ext.name.matches("(?i)once+")', 'list.block')
    expect(work.patterns).toEqual(['(?i)once+'])
    const arrived = {
      target: { phone_number: '+33612345678' },
      signals: { ext: { name: 'ONCEE' } },
    }

    forgetWork()
    const { body } = await shop.evaluate(flow, arrived)
    const path = `/v2/watch/evaluations/${body['id']}`
    const shown = await shop.send('GET', `${path}?explain=expressions`)
    const replayed = await shop.send('POST', `${path}/replay`)
    const tried = await shop.send('POST', `/v2/watch/management/flows/${flow}/test`, arrived)

    expect([shown.status, replayed.body['result'], tried.status]).toEqual([200, 'MATCH', 200])
    expect(work.patterns).toEqual([])
    expect(work.rules).toHaveLength(2)

    vigil = await vigil.restart()
    forgetWork()
    for (let index = 0; index < 2; index += 1) {
      const sent = { token: shop.token }
      const again = await vigil.door.request<object>('GET', path, sent)
      const replay = await vigil.door.request<object>('POST', `${path}/replay`, sent)
      expect([again.status, replay.body]).toMatchObject([200, { result: 'MATCH' }])
    }

    expect(work.rules).toHaveLength(2)
    expect(work.digested).toBe(2)
  } finally {
    await vigil.close()
  }
})
