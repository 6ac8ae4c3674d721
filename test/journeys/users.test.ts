import { beforeAll, describe, expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, sendAs } from '../support/openVigil.ts'
import { newApp } from '../support/startSession.ts'

let users: string

const { vigil, shop } = await openShopOfFile()
const other = await openCustomer(vigil)

beforeAll(async () => {
  users = await usersOf(shop)
})

const usersOf = async (customer: Customer) => `${await newApp(customer)}/users`

const phone = (value: string) => ({ type: 'phone_number', value })
const mail = (value: string) => ({ type: 'email_address', value })
const own = (value: string) => ({ type: 'customer_user_id', value })
const create = (identifiers: readonly object[], path = users, customer = shop) =>
  customer.send('POST', path, { identifiers })
const find = (type: string, value: string, path = users) =>
  shop.send('GET', `${path}?type=${type}&value=${encodeURIComponent(value)}`)

test.each(['Email Address', 'Email_address', 'email-address', '', '1st', 'x'.repeat(33)])(
  'nobody is looked for by a type that cannot be: %s',
  async (type) => {
    const { status, body } = await find(encodeURIComponent(type), 'x')

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', details: [{ path: 'type' }] })
  },
)

describe('the users of an application that is retired', () => {
  test('can be found and erased, and nothing else', async () => {
    const retired = await usersOf(shop)
    const { body } = await create([mail('eve@example.com')], retired)
    const user = `${retired}/${body['id']}`
    await shop.send('POST', `${user}/sessions`, {})
    await shop.send('DELETE', retired.replace(/\/users$/, ''))

    const seen = [await shop.send('GET', user), await shop.send('GET', retired)]
    const found = await find('email_address', 'eve@example.com', retired)
    const refused = [
      await create([mail('eva@example.com')], retired),
      await shop.send('POST', `${user}/sessions`, {}),
      await shop.send('GET', `${user}/sessions`),
      await shop.send('PUT', `${user}/password`, { password: 'correct horse' }),
      await other.send('GET', retired),
      await other.send('GET', user),
      await other.send('DELETE', user),
    ]
    const deleted = [await shop.send('DELETE', user), await shop.send('DELETE', user)]

    expect(seen.map((one) => one.body)).toEqual([body, { users: [body] }])
    expect(found.body).toEqual({ users: [body] })
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404))
    expect(new Set(refused.map((one) => one.body['code']))).toEqual(new Set(['app_not_found']))
    expect(deleted.map(({ status }) => status)).toEqual([204, 204])
    expect((await shop.send('GET', user)).body['code']).toBe('not_found')
    expect((await shop.send('GET', retired)).body).toEqual({ users: [] })
  })
})

describe('a user', () => {
  test('is created under identifiers in canonical form, and found by each of them', async () => {
    const { status, body } = await create([
      phone('+33 6 12 34 56 78'),
      mail('Ann@Example.com'),
      own('  no '.trim()),
    ])

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
      identifiers: [phone('+33612345678'), mail('ann@example.com'), own('no')],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect((await shop.send('GET', `${users}/${body['id']}`)).body).toEqual(body)
    for (const [type, value] of [
      ['phone_number', '+33 612 345 678'],
      ['email_address', 'ANN@example.com'],
      ['customer_user_id', 'no'],
    ] as const) {
      expect((await find(type, value)).body).toEqual({ users: [body] })
    }
  })

  test('has identifiers that no other user of the application may have, and every other application', async () => {
    const path = await usersOf(shop)
    await create([mail('bob@example.com'), own('bob')], path)

    const again = await create([own('robert'), mail('BOB@example.com')], path)
    const elsewhere = await create([mail('bob@example.com')])

    expect(again).toMatchObject({
      status: 409,
      body: { code: 'identifier_already_exists', type: 'conflict' },
    })
    expect(elsewhere.status).toBe(201)
    // what was claimed before the refusal is free again
    expect((await create([own('robert')], path)).status).toBe(201)
  })

  test.each([
    ['no identifier', []],
    ['eleven', Array.from({ length: 11 }, (_, index) => own(`many-${index}`))],
    ['the same twice', [mail('eve@example.com'), mail('EVE@example.com')]],
    ['a number that is none', [phone('0612345678')]],
    ['an address that is none', [mail('eve@localhost')]],
    ['a text with a control character', [own('a\u0000b')]],
    ['half a surrogate pair', [own('a\ud800')]],
    ['space at its end', [own('a ')]],
    ['a text that is too long', [own('a'.repeat(256))]],
    ['a type of another form', [{ type: 'Customer-Id', value: 'a' }]],
    ['a field that is not known', [{ ...own('a'), verified: true }]],
  ])('with %s is refused', async (_, identifiers) => {
    expect(await create(identifiers)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })

  test('is nobody in another application, as one there never was', async () => {
    const { body } = await create([own('hidden')])
    const elsewhere = await usersOf(shop)
    for (const method of ['GET', 'DELETE']) {
      const foreign = await shop.send(method, `${elsewhere}/${body['id']}`)
      const unknown = await shop.send(method, `${elsewhere}/usr_01h455vb4pex5vsknk084sn02q`)
      expect(foreign.status).toBe(404)
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
    }
    expect((await shop.send('GET', `${users}/${body['id']}`)).status).toBe(200)
  })
})

describe('on two instances', () => {
  test('a user is deleted whole whatever sessions are started meanwhile, and the identifiers are free', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const path = await usersOf(customer)
    const deleted: number[] = []

    for (let round = 0; round < 15; round += 1) {
      const { body } = await create([own('again')], path, customer)
      const user = `${path}/${body['id']}`
      await customer.send('PUT', `${user}/password`, { password: 'correct horse battery' })
      const start = ({ door }: typeof a) =>
        door.request('POST', `${user}/sessions`, { token: customer.token, body: {} })
      const [removed] = await Promise.all([
        customer.send('DELETE', user),
        ...[a, b, a, b, a, b].map(start),
      ])
      deleted.push(removed.status, (await customer.send('DELETE', user)).status)
    }

    expect(deleted).toEqual(deleted.map(() => 204))
    expect((await create([own('again')], path, customer)).status).toBe(201)
  })

  test('an identifier that many want at once is given to one', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const path = await usersOf(customer)
    const wanted = Array.from({ length: 12 }, (_, index) => [
      own(`only-${index}`),
      mail('wanted@example.com'),
    ])

    const answers = await Promise.all(
      wanted.map((identifiers, index) =>
        (index % 2 === 0 ? a : b).door.request<Record<string, unknown>>('POST', path, {
          token: customer.token,
          body: { identifiers },
        }),
      ),
    )

    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 11 }, () => 409),
    ])
    for (const instance of [a, b]) {
      const { body } = await sendAs(instance, customer.token)(
        'GET',
        `${path}?type=email_address&value=wanted%40example.com`,
      )
      const winner = answers.find(({ status }) => status === 201)
      expect(body).toEqual({ users: [winner?.body] })
    }
  })
})
