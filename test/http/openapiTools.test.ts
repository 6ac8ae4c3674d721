import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { buildOpenapiDocument } from '../../src/http/openapi/openapiRoute.ts'
import { listed } from './support/everyRoute.ts'

const text = JSON.stringify(buildOpenapiDocument(listed))
const ofSession = JSON.stringify(buildOpenapiDocument(listed, 'session'))

/** What the tools are shown to find, so that their silence means something. */
const broken = (change: (document: Record<string, Record<string, unknown>>) => void): string => {
  const document = JSON.parse(text)
  change(document)
  return JSON.stringify(document)
}

describe('the schema of OpenAPI 3.1', () => {
  const check = (source: string) => new Validator().validate(JSON.parse(source))

  test.each([text, ofSession])('accepts the description', async (source) => {
    expect(await check(source)).toEqual({ valid: true })
  })

  test('would find a mistake', async () => {
    const source = broken(({ info }) => {
      if (info) info['title'] = 7
    })

    expect(await check(source)).toMatchObject({ valid: false })
  })
})

describe('a linter with every recommended rule', () => {
  const check = async (source: string) => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source, config })
    return problems.map(({ ruleId, message, location: [place] }) => ({
      ruleId,
      message,
      pointer: place?.pointer,
    }))
  }

  test.each([text, ofSession])('finds nothing', async (source) => {
    expect(await check(source)).toEqual([])
  })

  test('would find a mistake, in an example too', async () => {
    const source = broken(({ paths }) => {
      const [operation] = Object.values(Object(paths?.['/v2/watch/eval']))
      Object(operation).requestBody.content['application/json'].example = { flow_id: 7 }
      Object(operation).operationId = 'getRule'
    })

    const found = (await check(source)).map(({ ruleId }) => ruleId)

    expect(found).toEqual(
      expect.arrayContaining(['operation-operationId-unique', 'no-invalid-media-type-examples']),
    )
  })
})
