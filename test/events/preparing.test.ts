import { Ajv } from 'ajv'
import { expect, test, vi } from 'vitest'
import { type AccountEvent, accountEvents } from '../../src/events/accounts/account.ts'
import { type EvaluationEvent, evaluationEvents } from '../../src/events/evaluation/evaluation.ts'
import { eventCodec } from '../../src/events/recording/eventCodec.ts'

const compiled = vi.spyOn(Ajv.prototype, 'compile')

test('every check of every event is compiled beforehand, one at a time, and never again', () => {
  const definitions = { ...accountEvents, ...evaluationEvents }
  const codec = eventCodec<AccountEvent | EvaluationEvent>(definitions)
  const before = compiled.mock.calls.length
  const perPiece: number[] = []
  const count = Object.values(definitions).reduce(
    (sum, { personal }) => sum + 1 + Object.keys(personal).length,
    0,
  )

  for (let last = before, preparing = codec.preparing(); !preparing.next().done; ) {
    perPiece.push(compiled.mock.calls.length - last)
    last = compiled.mock.calls.length
  }

  expect(perPiece).toEqual(Array.from({ length: count }, () => 1))
  expect([...codec.preparing()].length).toBe(count)
  expect(compiled.mock.calls.length).toBe(before + count)
})
