import { describe, expect, test } from 'vitest'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
shop.vigil.setTime(Date.UTC(2026, 10, 21, 9, 30))

describe('vigil apps', () => {
  test('registers an application, sets it and shows it', async () => {
    const registered = await shop.run(['apps', 'register', 'Corner shop', '--id', 'corner1'])
    await shop.run([
      ...['apps', 'set', 'corner1', '--access-seconds', '300', '--min-length', '12'],
      ...[
        '--session-days',
        '30',
        '--origin',
        'https://shop.example',
        '--origin',
        'http://localhost:3000',
      ],
      ...['--password-change-revokes', 'all'],
    ])
    const shown = await shop.run(['apps', 'get', 'corner1'])

    expect(registered.out).toContain('allowed_origins          none')
    expect(shown.out).toMatchInlineSnapshot(`
      "app_id         corner1
      name           Corner shop
      registered_at  2026-11-21T09:30:00.000Z

      tokens.access_seconds    300
      tokens.refresh_seconds   2592000
      tokens.session_days      30
      tokens.signing_key_days  90
      password.min_length      12
      password.max_length      128
      password.uppercase       0
      password.lowercase       0
      password.numbers         0
      password.symbols         0
      allowed_origins          https://shop.example, http://localhost:3000
      password_change_revokes  all
      "
    `)
  })

  test('takes all origins back with none', async () => {
    const { out } = await shop.run(['apps', 'set', 'corner1', '--origin', 'none'])

    expect(out).toContain('allowed_origins          none')
  })

  test('lists them, retired ones among them', async () => {
    await shop.run(['apps', 'register', 'Trial', '--id', 'trial01'])

    const retired = await shop.run(['apps', 'retire', 'trial01'])
    const { out } = await shop.run(['apps', 'list'])

    expect(retired.out).toBe('Retired trial01.\n')
    expect(out).toMatchInlineSnapshot(`
      "ID       REGISTERED                RETIRED                   NAME
      corner1  2026-11-21T09:30:00.000Z                            Corner shop
      trial01  2026-11-21T09:30:00.000Z  2026-11-21T09:30:00.000Z  Trial
      "
    `)
  })

  test('does the same as the operator for any account', async () => {
    const account = ['--account', shop.customer.accountId]

    const made = await shop.read(['apps', 'register', 'By hand', '--id', 'byhand1', ...account])
    const listed = await shop.read(['apps', 'list', ...account])
    await shop.run(['apps', 'set', 'byhand1', '--symbols', '1', ...account])

    expect(made).toMatchObject({ app_id: 'byhand1' })
    expect(listed['apps']).toContainEqual(made)
    expect(await shop.read(['apps', 'get', 'byhand1'])).toMatchObject({
      settings: { password: { symbols: 1 } },
    })
  })

  test('says what is wrong before it asks, and what the service refuses', async () => {
    const nothing = await shop.cli.run(['apps', 'set', 'corner1'])
    const wild = await shop.cli.run(['apps', 'set', 'corner1', '--access-seconds', '1e3'])
    const some = await shop.cli.run(['apps', 'set', 'corner1', '--password-change-revokes', 'few'])
    const unknown = await shop.cli.run(['apps', 'get', '0000000'])
    const taken = await shop.cli.run(['apps', 'register', 'Again', '--id', 'corner1'])

    expect([nothing, wild, some, unknown, taken].map(({ code }) => code)).toEqual([2, 2, 2, 1, 1])
    expect(nothing.err).toContain('Say what to set')
    expect(wild.err).toContain('Must be a whole number from 60 to 86400.')
    expect(some.err).toContain('Allowed choices are none, others, all.')
    expect(unknown.err).toContain('There is no application with this id.')
    expect(taken.err).toContain('This application id is taken')
  })
})

describe('vigil apps keys', () => {
  test('rotates, lists and retires', async () => {
    const [first] = (await shop.read(['apps', 'keys', 'list', 'corner1']))['signing_keys'] as [
      { readonly kid: string },
    ]
    const rotated = await shop.read(['apps', 'keys', 'rotate', 'corner1'])
    const retired = await shop.run(['apps', 'keys', 'retire', 'corner1', first.kid])
    const { out } = await shop.run(['apps', 'keys', 'list', 'corner1'])

    expect(rotated).toMatchObject({ status: 'signs' })
    expect(retired.out).toBe(`Retired ${first.kid}.\n`)
    const masked = out.replaceAll(first.kid, 'first').replaceAll(String(rotated['kid']), 'second')
    expect(masked.replaceAll(/ +/g, ' ')).toBe(
      [
        'KID STATUS ADDED RETIRED',
        'first retired 2026-11-21T09:30:00.000Z 2026-11-21T09:30:00.000Z',
        'second signs 2026-11-21T09:30:00.000Z',
        '',
      ].join('\n'),
    )
  })
})

describe('vigil apps migration', () => {
  test('sets the URL, shows it and deletes it', async () => {
    const url = 'https://api.example.com/session/validate'
    const set = await shop.run(['apps', 'migration', 'set', 'corner1', url])
    const shown = await shop.run(['apps', 'migration', 'get', 'corner1'])
    const deleted = await shop.run(['apps', 'migration', 'delete', 'corner1'])
    const gone = await shop.cli.run(['apps', 'migration', 'get', 'corner1'])

    expect(set.out).toMatchInlineSnapshot(`
      "session_validation_url  https://api.example.com/session/validate
      created_at              2026-11-21T09:30:00.000Z
      updated_at              2026-11-21T09:30:00.000Z
      "
    `)
    expect(shown.out).toBe(set.out)
    expect(deleted.out).toBe('corner1 has no migration configuration.\n')
    expect(gone).toMatchObject({ code: 1, out: '' })
    expect(gone.err).toContain('The application has no migration configuration.')
  })

  test('tells what is wrong with a URL, though such errors have another form', async () => {
    const { code, err } = await shop.cli.run([
      ...['apps', 'migration', 'set', 'corner1', 'https://10.0.0.1/'],
    ])

    expect(code).toBe(1)
    expect(err).toContain('session_validation_url: Must name a host of the public Internet.')
  })
})
