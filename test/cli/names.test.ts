import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { openShop, openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
const rule = await shop.customer.rule('has(target.phone_number)', 'Has a number')
const recipe = await shop.customer.recipe([{ rule_id: rule, weight: 60 }], { name: 'Numbers' })
const flow = await shop.customer.flow([recipe])

const person = ['--phone', '+33612345678']

describe('a name does where an id does', () => {
  test('for a flow that is evaluated, tried, read and followed', async () => {
    const own = await openShop(shop.vigil)
    onTestFinished(own.close)
    const made = await own.customer.flowOf('has(target.phone_number)')
    const { id } = await own.read(['eval', 'a flow', ...person])
    const tried = await own.read(['flows', 'test', 'a flow', ...person])
    const read = await own.read(['flows', 'get', 'a flow'])
    const followed = await own.run(['tail', '--flow', 'a flow', '--after', '0', '--count', '1'])

    expect(tried['flow_id']).toBe(made)
    expect(read['id']).toBe(made)
    expect(followed.out).toContain(String(id))
  })

  test('in other letters of upper and lower case where it is the only one, and in another form of Unicode', async () => {
    const accented = await shop.customer.rule('list.block', 'Cr\u00e9dit')
    const upper = await shop.customer.rule('list.block', 'NIGHT')
    const lower = await shop.customer.rule('list.block', 'night')

    expect((await shop.read(['rules', 'get', 'CRE\u0301DIT']))['id']).toBe(accented)
    expect((await shop.read(['rules', 'get', 'NIGHT']))['id']).toBe(upper)
    expect((await shop.read(['rules', 'get', 'night']))['id']).toBe(lower)
    expect((await shop.cli.run(['rules', 'get', 'Night'])).code).toBe(2)
  })
})

test('an id is not looked up', async () => {
  const asked = vi.spyOn(globalThis, 'fetch')

  await shop.run(['rules', 'get', rule])

  expect(asked).toHaveBeenCalledTimes(1)
  asked.mockRestore()
})

test('a name that several have is refused with their ids, and nothing is done', async () => {
  const twins = [
    await shop.customer.rule('list.block', 'Twin'),
    await shop.customer.rule('list.allow', 'Twin'),
  ]

  const { code, err } = await shop.cli.run(['rules', 'delete', 'Twin'])
  const json = await shop.cli.run(['rules', 'delete', 'Twin', '--json'])

  expect(code).toBe(2)
  expect(err).toContain('2 rules are called "Twin"; give the id: ')
  for (const id of twins) expect(err).toContain(id)
  expect(JSON.parse(json.err).error).toMatchObject({ code: 'ambiguous_name', ids: twins })
  expect((await shop.run(['rules', 'get', twins[0] ?? ''])).code).toBe(0)
})

test('a name that nothing has is answered with the one that was probably meant', async () => {
  const mistyped = await shop.cli.run(['eval', 'a flwo', ...person])
  const unknown = await shop.cli.run(['rules', 'get', 'Nothing like it', '--json'])

  expect(mistyped).toMatchObject({ code: 1, out: '' })
  expect(mistyped.err).toBe(
    'vigil: There is no flow called "a flwo". Did you mean "a flow"?\n  See: vigil flows list\n',
  )
  expect(JSON.parse(unknown.err).error).toMatchObject({ code: 'not_found' })
})

test('the id of something else is refused before anything is asked', async () => {
  const asked = vi.spyOn(globalThis, 'fetch')

  const { code, err } = await shop.cli.run(['eval', recipe, ...person])

  expect(code).toBe(2)
  expect(err).toContain(`"${recipe}" is the id of a recipe, not of a flow (flo_…).`)
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})

test('a token that may only evaluate needs the id, and is told so', async () => {
  const { token } = await openCustomer(shop.vigil, ['eval'])

  const { code, err } = await shop.cli.run(['eval', 'a flow', ...person, '--token', token])

  expect(code).toBe(1)
  expect(err).toContain('vigil: insufficient_scope: ')
  expect(err).toContain('without it, give the id of the flow (flo_…)')
})

describe('the newest evaluation', () => {
  test.each([[['show']], [['show', 'last']], [['replay']], [['replay', 'last']]])(
    'is what %j speaks of',
    async (words) => {
      await shop.read(['eval', flow, ...person])
      const { id } = await shop.read(['eval', flow, ...person])
      await projectedHead(shop.vigil)
      const asked = vi.spyOn(globalThis, 'fetch')

      await shop.run(words)

      expect(asked.mock.calls.map(([url]) => String(url)).at(-1)).toContain(String(id))
      asked.mockRestore()
    },
  )

  test('of an account that has none is said not to be there', async () => {
    const { token } = await openCustomer(shop.vigil)

    const { code, err } = await shop.cli.run(['show', '--token', token])

    expect(code).toBe(1)
    expect(err).toBe(
      'vigil: There is no evaluation yet.\n  Make one with: vigil eval FLOW --phone NUMBER\n',
    )
  })
})
