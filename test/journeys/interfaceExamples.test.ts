import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { recordedExamples } from '../../src/http/openapi/openapiExamples.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { openDay } from './support/openDay.ts'

/** Run with `vitest -u` to record anew what has changed. */
const file = '../../src/http/openapi/openapiExamples.json'

const { recorder, live } = await openDay()

beforeAll(() => live())

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
