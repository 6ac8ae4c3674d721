import { Ajv } from 'ajv'
import { afterEach, expect, test, vi } from 'vitest'
import { runInSlices } from '../../src/domain/load/scheduler.ts'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { type AccountEvent, accountEvents } from '../../src/events/accounts/account.ts'
import {
  type EvaluationEvent,
  evaluationEvents,
} from '../../src/events/evaluation/evaluationEvents.ts'
import { buildEventCodec } from '../../src/events/recording/eventCodec.ts'
import { everyPauseYields, turnsDuring } from '../support/everyPauseYields.ts'
import { load } from '../support/load.ts'

afterEach(() => void vi.restoreAllMocks())

const compiled = vi.spyOn(Ajv.prototype, 'compile')

test('every check of every event is compiled beforehand, one at a time, and never again', async () => {
  const definitions = { ...accountEvents, ...evaluationEvents }
  const codec = buildEventCodec<AccountEvent | EvaluationEvent>({ all: definitions })
  const before = compiled.mock.calls.length
  const count = Object.values(definitions).reduce(
    (sum, { personal }) => sum + 1 + Object.keys(personal).length,
    0,
  )

  everyPauseYields()

  expect(await turnsDuring(() => runInSlices(load, codec.prepare()))).toBeGreaterThanOrEqual(count)
  runAtOnce(codec.prepare())

  expect(compiled.mock.calls.length).toBe(before + count)
})
