import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordedExamples } from '../../src/http/interface/examples.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { answerValid, type LegacyShop, openLegacyShop } from '../support/legacyShop.ts'
import { openVigil, type Vigil } from '../support/openVigil.ts'
import { openRecorder, type Recorder } from './support/recordExamples.ts'
import { liveThroughDay } from './support/shopDay.ts'

/** Run with `vitest -u` to record anew what has changed. */
const file = '../../src/http/interface/examples.json'

let vigil: Vigil
let legacy: LegacyShop
let recorder: Recorder

beforeAll(async () => {
  legacy = await openLegacyShop()
  legacy.answering = answerValid
  vigil = await openVigil({
    privateMigrationHosts: 'localhost',
    outside: { certificates: legacy.certificates },
  })
  recorder = openRecorder(vigil)
  await liveThroughDay(recorder, legacy.url)
})

afterAll(async () => {
  await vigil.close()
  legacy.close()
})

test('every operation was asked and has an example', () => {
  const operations = listRoutes().map(({ operationId }) => operationId)

  expect(Object.keys(recorder.recorded())).toEqual(operations.sort())
})

test('the examples of the description are what the service answers', async () => {
  const recorded = recorder.recorded()

  // in which order an answer has its fields is no part of what it says
  const same = isDeepStrictEqual(recordedExamples, JSON.parse(JSON.stringify(recorded)))
  const text = textOf(same ? recordedExamples : recorded)

  await expect(text).toMatchFileSnapshot(file)
})

/** A line for each part of an example, so that what changed is seen in a few lines. */
function textOf(recorded: object): string {
  const operations = Object.entries(recorded).map(([operation, example]) => {
    const parts = Object.entries(Object(example)).map(
      ([name, part]) => `  ${JSON.stringify(name)}: ${JSON.stringify(part)}`,
    )
    return ` ${JSON.stringify(operation)}: {\n${parts.join(',\n')}\n }`
  })
  return `{\n${operations.join(',\n')}\n}\n`
}
