import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Schema } from '../../src/domain/jsonSchema.ts'
import { createComponentCollector } from '../../src/http/openapi/openapiComponents.ts'
import { buildOpenapiDocument } from '../../src/http/openapi/openapiRoute.ts'
import { compileSchema } from '../../src/http/request/schema/validator.ts'
import { draws } from '../support/draws.ts'
import { listed, pathOf, routes } from './support/everyRoute.ts'
import { closed } from './support/interfaceDescription.ts'

interface Media {
  readonly schema: object
  readonly example?: unknown
}

interface Content {
  readonly content?: Readonly<Record<string, Media | Record<string, never>>>
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly {
    readonly name: string
    readonly required: boolean
    readonly schema: object
    readonly example?: unknown
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const documents = (['main', 'session'] as const).map(
  (host) => JSON.parse(JSON.stringify(buildOpenapiDocument(listed, host))) as Document,
)
const [document] = documents
const operations = documents.flatMap(({ paths }) =>
  Object.values(paths).flatMap((path) => Object.values(path)),
)

const options = {
  strict: false,
  allErrors: true,
  formats: { int64: true as const, 'date-time': true as const },
}
const ajv = new Ajv2020(options)
const schemas = Object.assign({}, ...documents.map(({ components }) => components.schemas))
ajv.addSchema({ $id: 'api', components: closed({ schemas }) })

/** The problems of a value with a schema of the document, any field that is not described among them. */
function problemsOf(schema: object, value: unknown): unknown {
  const fits = ajv.compile(
    JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/components', '"api#/components')),
  )
  return fits(value) ? [] : fits.errors
}

/** The media that are text; packed bytes have neither schema nor example. */
const mediaOf = ({ content = {} }: Content) =>
  Object.values(content).filter((media): media is Media => 'schema' in media)

describe.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s',
  (_id, { parameters, requestBody, responses }) => {
    const succeeding = Object.entries(responses).filter(([status]) => status.startsWith('2'))

    test('shows what is sent and what is answered', () => {
      const [first = {}] = succeeding.map(([, response]) => response)
      const needed = [
        ...mediaOf(requestBody ?? {}),
        ...mediaOf(first),
        ...parameters.filter(({ required }) => required),
      ]

      expect(needed.filter(({ example }) => example === undefined)).toEqual([])
    })

    test('shows only what its schemas describe', () => {
      const media = [requestBody ?? {}, ...Object.values(responses)].flatMap(mediaOf)
      const shown = [...media, ...parameters].filter(({ example }) => example !== undefined)

      expect(shown.map(({ schema, example }) => problemsOf(schema, example))).toEqual(
        shown.map(() => []),
      )
    })
  },
)

test('the examples of bodies are accepted by the checks of their routes', () => {
  for (const { operationId, body } of listed) {
    const operation = operations.find((one) => one.operationId === operationId)
    if (!body.schema || !operation?.requestBody) continue

    const [media] = mediaOf(operation.requestBody)

    const fits = compileSchema(body.schema)
    expect(fits(media?.example), JSON.stringify(fits.errors)).toBe(true)
  }
})

test('no example of another operation, and none that is left over, stands in the file', async () => {
  const { recordedExamples } = await import('../../src/http/openapi/openapiExamples.ts')

  const known = listed.map(({ operationId }) => operationId)
  expect(Object.keys(recordedExamples).filter((id) => !known.includes(id))).toEqual([])
  expect(listed.map(pathOf).every((path) => !path.includes('{'))).toBe(true)
})

/** Every schema in the bodies of routes that has alternatives of required fields. */
function alternativesIn(value: unknown, found = new Map<string, Schema>()): Map<string, Schema> {
  if (typeof value !== 'object' || value === null) return found
  const { title, anyOf, properties } = value as Schema
  if (typeof title === 'string' && anyOf && properties) found.set(title, value as Schema)
  for (const part of Object.values(value)) alternativesIn(part, found)
  return found
}

const alternatives = [...alternativesIn(routes.map(({ body }) => body.schema))]

test('there are schemas with alternatives', () => {
  expect(alternatives.map(([title]) => title)).toEqual(
    expect.arrayContaining(['EvaluationTarget', 'DraftMembership', 'RuleChange']),
  )
})

test.each(alternatives)(
  'the alternatives of %s are described as they are checked',
  (title, schema) => {
    const checked = new Ajv2020(options).compile({ ...schema })
    const described = new Ajv2020(options).addSchema({ ...document, $id: 'api' })
    const fits = described.compile({ $ref: `api#/components/schemas/${title}` })
    const values = fc.constantFrom<unknown>('rul_1', 'phone_number', 'FLAG', '""', true, 7, {
      name: 'n',
      expression: 'true',
    })

    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(...Object.keys(Object(schema['properties'])), 'other'),
          values,
        ),
        (value) => {
          expect(fits(value)).toBe(checked(value))
        },
      ),
      { numRuns: draws(1_000) },
    )
  },
)

describe('components', () => {
  const named = (title: string, more: Schema = {}): Schema => ({ title, type: 'object', ...more })

  test('stand once, wherever they are referred to', () => {
    const { replaceWithReferences: referenced, listSchemas: all } = createComponentCollector()

    const both = referenced({ type: 'array', items: named('A'), contains: named('A') })

    const reference = { $ref: '#/components/schemas/A' }
    expect(both).toEqual({ type: 'array', items: reference, contains: reference })
    expect(all()).toEqual({ A: named('A') })
  })

  test('of one title must be one', () => {
    const { replaceWithReferences: referenced } = createComponentCollector()
    referenced(named('A'))

    expect(() => referenced(named('A', { minProperties: 1 }))).toThrow('two schemas are called A')
  })

  test('keep what their alternatives exclude where it cannot be left out', () => {
    const { replaceWithReferences: referenced, listSchemas: all } = createComponentCollector()
    const properties = { a: { type: 'string' }, b: { type: 'string' } }
    const rest = {
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      not: { required: ['a', 'b'] },
    }

    referenced(named('Open', { properties, ...rest }))
    referenced(named('Closed', { properties, additionalProperties: false, ...rest }))

    const { Open, Closed } = all() as Record<string, { not?: object; anyOf: Schema[] }>
    expect(Open?.not).toEqual(rest.not)
    expect(Open?.anyOf.map((one) => Object.keys(Object(one['properties'])))).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    expect(Closed?.not).toBeUndefined()
    expect(Closed?.anyOf.map((one) => Object.keys(Object(one['properties'])))).toEqual([
      ['a'],
      ['b'],
    ])
  })
})

test('a tree of explanations is described to its last leaf', () => {
  const tree = (depth: number): object => ({
    text: 't',
    line: 1,
    column: 1,
    state: 'value',
    ...(depth > 0 && { parts: [tree(depth - 1)] }),
  })
  const part = { $ref: '#/components/schemas/ExpressionPart' }
  const wrong = JSON.parse(JSON.stringify(tree(9)).replace(/"line":1(?=[^{]*$)/, '"line":"1"'))

  expect(problemsOf(part, tree(9))).toEqual([])
  expect(problemsOf(part, wrong)).not.toEqual([])
})
