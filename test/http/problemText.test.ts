import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Schema } from '../../src/domain/jsonSchema.ts'
import { evaluateRequestSchema } from '../../src/http/evaluation/evaluationBody.ts'
import { compileSchema, toFailureDetails } from '../../src/http/request/schema/validator.ts'
import { recipeInputSchema } from '../../src/state/rulebook/recipes.ts'
import { routes } from './support/everyRoute.ts'

const schemaOf = (operation: string) =>
  routes.find(({ operationId }) => operationId === operation)?.body.schema ?? {}

function problemsOf(schema: Schema, value: unknown): Readonly<Record<string, string>> {
  const fits = compileSchema(schema)
  expect(fits(value)).toBe(false)
  return Object.fromEntries(
    toFailureDetails(fits.errors).map(({ path, message }) => [path, message]),
  )
}

const safe = Number.MAX_SAFE_INTEGER
const recipe = { name: 'n', status: 'LIVE', threshold: 1, rules: [] }
const member = { rule_id: 'rul_1', weight: 1 }

describe('a problem of a recipe', () => {
  test.each([
    ['a name that is a number', { name: 1 }, 'name', 'Must be a string of 1 to 128 characters.'],
    ['an empty name', { name: '' }, 'name', 'Must be a string of 1 to 128 characters.'],
    ['a long name', { name: 'n'.repeat(129) }, 'name', 'Must be a string of 1 to 128 characters.'],
    ['no list of rules', { rules: {} }, 'rules', 'Must be a list of at most 500 entries.'],
    [
      'a fraction',
      { threshold: 1.5 },
      'threshold',
      `Must be a whole number from -${safe} to ${safe}.`,
    ],
    [
      'a number beyond',
      { threshold: 1e300 },
      'threshold',
      `Must be a whole number from -${safe} to ${safe}.`,
    ],
    [
      'a status in another case',
      { status: 'live' },
      'status',
      'Must be one of: DRAFT, SHADOW, LIVE, INACTIVE; did you mean LIVE?',
    ],
    [
      'a status that is none',
      { status: 7 },
      'status',
      'Must be one of: DRAFT, SHADOW, LIVE, INACTIVE.',
    ],
    [
      'a value of three possible types',
      { parameters: { p: [] } },
      'parameters.p',
      'Must be a string of at most 1024 characters or a number or true or false.',
    ],
    [
      'a name of a map',
      { parameters: { '': 1 } },
      'parameters.',
      'Its name must be a string of 1 to 64 characters.',
    ],
    [
      'a mistyped field of an entry',
      { rules: [member, { ...member, wieght: 1 }] },
      'rules.1.wieght',
      'There is no field wieght; did you mean weight? Known: rule_id, weight, preempts, version_id.',
    ],
    [
      'a field that is missing',
      { rules: [{ rule_id: 'rul_1' }] },
      'rules.0.weight',
      `This field is required: a whole number from -${safe} to ${safe}.`,
    ],
  ])('names what is expected: %s', (...row) => {
    const [, change, path, message] = row

    expect(problemsOf(recipeInputSchema, { ...recipe, ...change })).toEqual({ [path]: message })
  })
})

describe('a problem of an evaluation, whose unknown fields are ignored', () => {
  test('tells which field was probably meant', () => {
    expect(
      problemsOf(evaluateRequestSchema, { flow: 'flo_1', target: { emailAdress: 'a@b.c' } }),
    ).toEqual({
      flow_id: 'This field is required: a string of 1 to 128 characters (is it flow?).',
      target: 'Must have phone_number, or email_address, or type and value (is it emailAdress?).',
    })
  })

  test('guesses nothing where nothing is near', () => {
    expect(problemsOf(evaluateRequestSchema, { x: 1, target: { y: 1 } })).toEqual({
      flow_id: 'This field is required: a string of 1 to 128 characters.',
      target: 'Must have phone_number, or email_address, or type and value.',
    })
  })

  test('names the length of what has only one', () => {
    const problems = problemsOf(evaluateRequestSchema, {
      flow_id: 'flo_1',
      target: { phone_number: '+1' },
      dispatch_id: 'd',
      signals: { device_platform: 'iOs', existing_user: 'no' },
    })

    expect(problems).toEqual({
      dispatch_id: 'Must be a string of exactly 36 characters.',
      'signals.device_platform':
        'Must be one of: android, ios, ipados, tvos, web; did you mean ios?',
      'signals.existing_user': 'Must be true or false.',
    })
  })
})

test('a text of a form, and a field of one value, are told so', () => {
  const rule = { name: 'n', description: 'd', expression: 'true' }

  expect(
    problemsOf(schemaOf('createManagedRule'), {
      ...rule,
      parameters: [{ name: 'A', type: 'INT' }],
    }),
  ).toEqual({
    'parameters.0.name': 'Must be a string of at most 64 characters that fits ^[a-z][a-z0-9_]*$.',
  })
  expect(
    problemsOf(schemaOf('changeRulebook'), { rules: [{ id: 'rul_1', delete: false }] }),
  ).toEqual({
    'rules.0.delete': 'Must be true.',
  })
})

test('two fields that exclude each other are named', () => {
  const rules = [{ rule_id: 'rul_1', expression: 'true', weight: 1 }]
  const draft = { recipes: [{ threshold: 1, rules }] }

  expect(problemsOf(schemaOf('testFlow'), { target: { phone_number: '+1' }, draft })).toEqual({
    'draft.recipes.0.rules.0': 'Must not have both rule_id and expression.',
  })
})

test('a list that names something twice is told so', () => {
  const tokens = routes.find(({ operationId }) => operationId === 'issueToken')?.body.schema

  expect(problemsOf(tokens ?? {}, { scopes: ['eval', 'eval'] })).toMatchObject({
    scopes: 'Must not name anything twice.',
  })
})

const bodies = routes.flatMap(({ operationId, body }) =>
  body.schema ? ([[operationId, body.schema]] as const) : [],
)

test.each(bodies)('%s says of every value of a wrong type what it expects', (_id, schema) => {
  const fits = compileSchema(schema)

  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom(...Object.keys(Object(schema['properties']))),
        fc.oneof(fc.anything({ maxDepth: 1 }), fc.constantFrom(null, -0.5, '', [[]], [{}], {})),
      ),
      (value) => {
        if (fits(value)) return
        const details = toFailureDetails(fits.errors)

        expect(details.length).toBeGreaterThan(0)
        for (const { message } of details) {
          expect(message).toMatch(
            /^(?:Must (?:be|have|not)|This field is|There is no|Its name) .*[.?]$/s,
          )
          expect(message).not.toMatch(/undefined|something else|\[object/)
        }
      },
    ),
  )
})

test('a body of nothing but mistakes has a hundred problems at most', () => {
  const mistakes = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]))

  expect(Object.keys(problemsOf(recipeInputSchema, { ...recipe, ...mistakes }))).toHaveLength(100)
})
