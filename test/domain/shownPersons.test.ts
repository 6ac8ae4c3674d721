import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { runInSlices } from '../../src/domain/load/scheduler.ts'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { stringifySteps } from '../../src/domain/shownPersons.ts'
import { everyPauseYields, turnsDuring } from '../support/everyPauseYields.ts'
import { load } from '../support/load.ts'

afterEach(() => void vi.restoreAllMocks())

test('a long answer is written in the text of JSON.stringify, without what is undefined', () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
      const answer = { none: undefined, value, 'a "b"': [value, { none: undefined }] }
      expect(runAtOnce(stringifySteps(answer))).toBe(JSON.stringify(answer))
    }),
  ))

test('a long answer is written item by item, each in a turn of the event loop', async () => {
  everyPauseYields()
  const rules = Array.from({ length: 50 }, (_, at) => ({ rule_id: `rul_${at}`, reads: [] }))

  const turns = await turnsDuring(() =>
    runInSlices(load, stringifySteps({ explanation: [{ rules }] })),
  )

  expect(turns).toBeGreaterThanOrEqual(rules.length)
})
