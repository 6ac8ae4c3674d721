import { describe, expect, test } from 'vitest'
import { optional, optionalFields } from '../../src/domain/schema.ts'
import { inputSchema, lenientSchema, viewSchema } from '../../src/http/request/schema/fields.ts'
import { compileSchema, detailsOf } from '../../src/http/request/schema/validator.ts'

interface Cart {
  readonly total: number
  readonly coupon?: string
}

const total = { type: 'number' }
const coupon = { type: 'string' }

describe('a schema is held to its type by the compiler', () => {
  test('a field of the type that the schema lacks does not compile', () => {
    // @ts-expect-error total is missing
    viewSchema<Cart>('Cart', { coupon: optional(coupon) })
    // @ts-expect-error an optional field may not be left out either
    inputSchema<Cart>('Cart', { total })
  })

  test('a field that the type lacks does not compile', () => {
    // @ts-expect-error there is no currency
    viewSchema<Cart>('Cart', { total, coupon: optional(coupon), currency: coupon })
  })

  test('a field that is required in one and optional in the other does not compile', () => {
    // @ts-expect-error total is required
    lenientSchema<Cart>('Cart', { total: optional(total), coupon: optional(coupon) })
    // @ts-expect-error coupon is optional
    lenientSchema<Cart>('Cart', { total, coupon })
  })

  test('a schema of no type does not compile', () => {
    // @ts-expect-error which type?
    viewSchema('Cart', { total })
  })
})

describe('what is sent', () => {
  const fields = { total, coupon: optional(coupon) }
  const problemsOf = (schema: object, value: unknown) => {
    const fits = compileSchema(schema as Parameters<typeof compileSchema>[0])
    return fits(value) ? [] : detailsOf(fits.errors).map(({ path }) => path)
  }

  test.each([
    [{ total: 1 }, []],
    [{ total: 1, coupon: 'ten' }, []],
    [{ coupon: 'ten' }, ['total']],
    [{ total: 1, currency: 'EUR' }, ['currency']],
    [{ total: 'one', coupon: 10 }, ['total', 'coupon']],
  ])('%j has its problems at %j', (value, paths) => {
    expect(problemsOf(inputSchema<Cart>('Cart', fields), value).sort()).toEqual([...paths].sort())
  })

  test('may hold fields that are not known where these are ignored', () => {
    expect(problemsOf(lenientSchema<Cart>('Cart', fields), { total: 1, currency: 'EUR' })).toEqual(
      [],
    )
  })

  test('may leave out what was made optional, whatever it was before', () => {
    const schema = inputSchema<Partial<Cart>>('Change', optionalFields(fields), {
      minProperties: 1,
    })

    expect(problemsOf(schema, { coupon: 'ten' })).toEqual([])
    expect(problemsOf(schema, { total: 2 })).toEqual([])
    expect(problemsOf(schema, {})).toEqual([''])
  })
})
