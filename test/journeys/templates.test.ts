/** The OTP templates of an account, through the front door (spec 4.3; wire 4.3). */

import { beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

const path = '/v2/verification/management/templates'

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  shop = await openCustomer(vigil)
})

type Body = Record<string, unknown>

const defaults = {
  kind: 'optimized',
  code_size: 6,
  ttl_minutes: 10,
  max_retries: 3,
  retry_delay_seconds: 30,
  per_phone_number_limit: 5,
  sliding_window_hours: 24,
}

const create = (body: object = { name: 'Ada Shop' }) => shop.send('POST', path, body)
const made = async (body?: object) => String((await create(body)).body['id'])
const update = (id: string, body: object, headers = {}) =>
  vigil.door.request<Body>('PATCH', `${path}/${id}`, { token: shop.token, body, headers })
const get = (id: string) => shop.send('GET', `${path}/${id}`)
const listed = async (query = '') => (await shop.send('GET', `${path}${query}`)).body
const allow = (access: object) =>
  sendAs(vigil, operatorToken)('PUT', `/v2/operator/accounts/${shop.accountId}/access`, access)
const positionOf = ({ headers }: { headers: object }) => Reflect.get(headers, 'x-vigil-position')

describe('a template', () => {
  test('needs a name only, and has the defaults of the rest', async () => {
    const created = await create({ name: 'Ada Shop' })

    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.stringMatching(/^template_[0-9a-z]{26}$/),
      name: 'Ada Shop',
      ...defaults,
    })
    expect((await get(String(created.body['id']))).body).toEqual(created.body)
    expect(await listed()).toEqual({ templates: [created.body] })
  })

  test.each([
    ['without a name', { kind: 'psd2' }, 'name'],
    ['with an empty name', { name: '' }, 'name'],
    ['with a long name', { name: 'x'.repeat(129) }, 'name'],
    ['of a kind that there is not', { name: 'A', kind: 'marketing' }, 'kind'],
    ['with a code of half a digit', { name: 'A', code_size: 4.5 }, 'code_size'],
    ['that is valid for no time', { name: 'A', ttl_minutes: 0 }, 'ttl_minutes'],
    ['that is valid for ever', { name: 'A', ttl_minutes: 1_441 }, 'ttl_minutes'],
    ['sent again without end', { name: 'A', max_retries: 21 }, 'max_retries'],
    ['sent again before', { name: 'A', retry_delay_seconds: -1 }, 'retry_delay_seconds'],
    ['never sent', { name: 'A', per_phone_number_limit: 0 }, 'per_phone_number_limit'],
    ['with a window of no time', { name: 'A', sliding_window_hours: 0 }, 'sliding_window_hours'],
    ['with a number as its suffix', { name: 'A', suffix: 1 }, 'suffix'],
    ['with a field that is not known', { name: 'A', codesize: 4 }, 'codesize'],
    ['with an id of its own', { name: 'A', id: `template_${'0'.repeat(26)}` }, 'id'],
  ])('%s is refused by the place', async (_, body, place) => {
    const refused = await create(body)

    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request'])
    expect(refused.body['details']).toMatchObject([{ path: place }])
    expect(await listed()).toEqual({ templates: [] })
  })

  test.each([3, 9, 0, -4, 1e9])('with a code of %d digits has a code of its own', async (size) => {
    const id = await made()
    const refused = [
      await create({ name: 'A', code_size: size }),
      await update(id, { code_size: size }),
    ]

    for (const { status, body } of refused) {
      expect([status, body['code'], body['details']]).toMatchObject([
        400,
        'invalid_code_size',
        [{ path: 'code_size' }],
      ])
    }
  })
})

describe('a change', () => {
  test('leaves alone what it does not name (RFC 7386)', async () => {
    const id = await made({ name: 'A', code_size: 4, ttl_minutes: 7 })

    const changed = await update(id, { ttl_minutes: 5 })

    expect([changed.status, changed.body]).toEqual([
      200,
      { id, name: 'A', ...defaults, code_size: 4, ttl_minutes: 5 },
    ])
    expect((await get(id)).body).toEqual(changed.body)
  })

  test('takes a merge patch by its own type', async () => {
    const id = await made()
    const headers = { 'content-type': 'application/merge-patch+json' }

    expect((await update(id, { name: 'B' }, headers)).body['name']).toBe('B')
  })

  test('cannot take the name away', async () => {
    const refused = await update(await made(), { name: null })

    expect([refused.status, refused.body['details']]).toMatchObject([400, [{ path: 'name' }]])
  })

  test.each([
    ['nothing', {}],
    ['what stands there already', { name: 'Ada Shop', ttl_minutes: 10 }],
    ['a default back to its default', { code_size: null, suffix: null }],
  ])('of %s stores nothing', async (_, patch) => {
    const created = await create()

    const changed = await update(String(created.body['id']), patch)

    expect([changed.status, changed.body]).toEqual([200, created.body])
    expect(positionOf(changed)).toBe(positionOf(created))
  })

  test('on a condition gets through when nobody was faster', async () => {
    const id = await made()
    const { etag = '' } = (await get(id)).headers
    const first = await update(id, { ttl_minutes: 5 }, { 'if-match': etag })
    const late = await update(id, { ttl_minutes: 6 }, { 'if-match': etag })
    const next = await update(id, { ttl_minutes: 6 }, { 'if-match': first.headers['etag'] ?? '' })

    expect([first.status, late.status, next.status]).toEqual([200, 412, 200])
    expect(late.body['code']).toBe('precondition_failed')
  })

  test.each([[[]], ['x'], [null]])('that is %j is none', async (body) => {
    const refused = await update(await made(), body as object)

    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request'])
  })
})

describe('a suffix', () => {
  beforeEach(() => allow({ custom_suffix: true }))

  test('must be enabled by the operator', async () => {
    const id = await made({ name: 'A', suffix: 'Ada Shop' })
    await allow({ custom_suffix: false })

    const refused = [
      await create({ name: 'B', suffix: 'Ada Shop' }),
      await update(id, { suffix: 'Other Shop' }),
    ]
    const kept = await update(id, { ttl_minutes: 5, suffix: 'Ada Shop' })
    const taken = await update(id, { suffix: null })

    for (const { status, body } of refused) {
      expect([status, body['code']]).toEqual([403, 'custom_suffix_not_enabled'])
    }
    expect(kept.body).toMatchObject({ suffix: 'Ada Shop', ttl_minutes: 5 })
    expect([taken.status, taken.body['suffix']]).toEqual([200, undefined])
  })

  test.each([
    ...['Ada Shop', 'Acme Inc.', 'Møller & Søn', 'L’Épicerie', 'Ada (Paris)', 'Yes!', '7-Twelve'],
  ])('%j is one', async (suffix) => {
    const created = await create({ name: 'A', suffix })

    expect([created.status, created.body['suffix']]).toEqual([201, suffix])
  })

  test('is kept in one form, however its accents are written', async () => {
    const id = await made({ name: 'A', suffix: 'E\u0301picerie' })

    expect((await get(id)).body['suffix']).toBe('\u00c9picerie')
  })

  const suffixesByRefusal: Readonly<Record<string, readonly string[]>> = {
    invalid_suffix: [
      ...['', ' Ada', 'Ada ', 'Ada  Shop', 'Ada\nShop', 'Ada Shop 🎉', 'x'.repeat(41), 'ada.shop'],
      ...['see www ada', 'ada@shop'],
    ],
    suffix_script_not_supported: ['Магазин', '公司', 'Αda Shop', 'दुकान'],
    suffix_not_allowed: [
      ...['PayPal', 'pay pal support', 'P-a-y-P-a-l', 'Paypa1', 'Páypál', 'G00gle', 'The Police'],
      ...['U.P.S'.replaceAll('.', '-'), 'Your Visa card', 'Ministry of Finance', 'The Ministry'],
      ...['R e v o l u t', 'Your R-e-v-o-l-u-t card', 'Revolut1on Revolut', 'RevolutSupport'],
      ...['RevolutInfo', 'Revolut Login', 'AmazonAlerts', 'AmazonApp', 'AmazonInfo'],
      ...['Amazonia Amazon', 'Outlook', '0ut-look Team', 'K r a k e n Wallet'],
      ...['Robin Hood Crypto', 'i-Cloud help', 'Royal Mail', 'Parcel by U P S'],
    ],
  }

  test.each(
    Object.entries(suffixesByRefusal).flatMap(([code, texts]) =>
      texts.map((suffix) => [code, suffix] as const),
    ),
  )('%s: %j', async (code, suffix) => {
    const id = await made()
    const refused = [await create({ name: 'A', suffix }), await update(id, { suffix })]

    for (const { status, body } of refused) {
      expect([status, body['code'], body['details']]).toMatchObject([
        400,
        code,
        [{ path: 'suffix' }],
      ])
    }
  })

  test.each([
    ...['Revolution', 'Revolution Bar', 'La Revolución', 'Amazonia Tours', 'Outlook Hotel'],
    ...['Ministry of Sound', 'Kraken Rum', 'Robin Hood Pub', 'Ali Baba Kebab'],
    ...['Telegram Courier', 'Interpolation Lab', 'Kai Tunes', 'Often Central', 'Deutsche Poster'],
    ...['In G Major', 'Pineapple Shop', 'Groups', 'Advisable', 'Courtesy Cars', 'Shopping'],
  ])(
    'that has a meaning of its own, or such a name inside a word, is none of theirs: %j',
    async (suffix) => {
      expect((await create({ name: 'A', suffix })).status).toBe(201)
    },
  )

  test('may be the name of the account itself', async () => {
    const opened = await sendAs(vigil, operatorToken)('POST', '/v2/operator/accounts', {
      name: 'Visa Europe',
    })
    const place = `/v2/operator/accounts/${opened.body['account_id']}`
    const access = { management: true, custom_suffix: true }
    await vigil.door.request('PUT', `${place}/access`, { token: operatorToken, body: access })
    const issued = await sendAs(vigil, operatorToken)('POST', `${place}/tokens`, {
      scopes: ['manage'],
    })
    const token = String(issued.body['token'])
    const ask = (suffix: string) =>
      vigil.door.request('POST', path, { token, body: { name: 'A', suffix } })

    expect([(await ask('Visa')).status, (await ask('PayPal')).status]).toEqual([201, 400])
  })
})
