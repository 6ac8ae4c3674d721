import { describe, expect, test } from 'vitest'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
shop.vigil.setTime(Date.UTC(2026, 10, 21, 9, 30))
await shop.run(['apps', 'register', 'Corner shop', '--id', 'corner1'])
const { out } = await shop.run([
  ...['users', 'create', 'corner1', '--id', 'email_address=Ann@example.com'],
  ...['--id', 'customer_user_id=42', '--json'],
])
const user = JSON.parse(out).id

describe('vigil users', () => {
  test('shows, lists and finds them', async () => {
    const shown = await shop.run(['users', 'get', 'corner1', user])
    const listed = await shop.run(['users', 'list', 'corner1'])
    const found = await shop.run(['users', 'find', 'corner1', 'customer_user_id', '42'])
    const nobody = await shop.run(['users', 'find', 'corner1', 'customer_user_id', '43'])

    expect(shown.out).toContain('email_address=ann@example.com customer_user_id=42')
    expect(listed.out).toContain(user)
    expect(found.out).toBe(listed.out)
    expect(nobody.out).toBe('No users.\n')
  })

  test('creates one who has several identifiers of one type', async () => {
    const ids = ['email_address=a@example.com', 'email_address=b@example.com', 'nick=x=y']
    const created = await shop.run([
      ...['users', 'create', 'corner1', '--json'],
      ...ids.flatMap((id) => ['--id', id]),
    ])

    expect(JSON.parse(created.out).identifiers).toEqual([
      { type: 'email_address', value: 'a@example.com' },
      { type: 'email_address', value: 'b@example.com' },
      { type: 'nick', value: 'x=y' },
    ])
  })

  test('says what is missing', async () => {
    await expect(shop.run(['users', 'create', 'corner1'])).rejects.toThrow(
      'ended with 2: vigil: Say what the user is known by: --id type=value.',
    )
  })

  const isValid = async (password: string) => {
    const path = `/v2/session/apps/corner1/users/${user}/password/check`
    return (await shop.customer.send('POST', path, { password })).body['valid']
  }
  const setPassword = ['users', 'password', 'set', 'corner1']

  test('gives one a password that is piped in, with every character but the end of its line', async () => {
    const piped = await shop.run([...setPassword, user], { stdin: ' correct horse \n' })

    expect(piped).toMatchObject({ out: `Set the password of ${user}.\n`, err: '' })
    expect(await isValid(' correct horse ')).toBe(true)
    expect(await isValid('correct horse')).toBe(false)
  })

  test('gives one a password that an editor has put a byte order mark before', async () => {
    await shop.run([...setPassword, user], { stdin: '\ufeffcorrect horse\r\n' })

    expect(await isValid('correct horse')).toBe(true)
  })

  test('gives one a password that is typed twice, and shows it nowhere', async () => {
    const typed = await shop.run([...setPassword, user, '--json'], { typed: 'battery staple' })

    expect(typed.err).toBe('Password: The same again: ')
    expect(typed.json()).toEqual({ id: user, password_set: true })
    expect(await isValid('battery staple')).toBe(true)
  })

  test.each([
    ['none', { stdin: '\n' }, 'There is no password'],
    ['two that differ', { typed: ['battery staple', 'battery stable'] }, 'are not the same'],
    ['what is no text', { stdin: 'battery \ufffd' }, 'must be text in UTF-8'],
  ])('gives nobody a password when it is given %s', async (_, situation, message) => {
    const kept = `stays, given ${message}`
    await shop.run([...setPassword, user], { stdin: kept })

    const { code, out, err } = await shop.cli.run([...setPassword, user], situation)

    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
    expect(await isValid(kept)).toBe(true)
  })

  test('takes no password as an argument, nor token and password from one input', async () => {
    const argument = await shop.cli.run([...setPassword, user, 'correct horse'], { stdin: '' })
    const both = await shop.cli.run([...setPassword, user, '--token', '-'], { stdin: 'x' })

    expect([argument.code, both.code]).toEqual([2, 2])
    expect(both.err).toContain('Only one of token and password')
  })

  test('grants a scope', async () => {
    const { out } = await shop.run([
      ...['users', 'grant', 'corner1', user, 'prld:pwd:write', '--seconds', '60'],
    ])

    expect(out).toContain('2026-11-21T09:31:00.000Z')
  })
})

describe('vigil sessions', () => {
  test('starts, lists and ends them', async () => {
    const start = ['sessions', 'start', 'corner1', user, '--device-type', 'ios', '--country', 'fr']
    const started = await shop.run([...start, '--device-model', 'iPhone 15', '--scope', 'a', 'b'])
    const listed = await shop.run(['sessions', 'list', 'corner1', user])
    const [id = ''] = /ses_\w+/.exec(started.out) ?? []
    const ended = await shop.run(['sessions', 'revoke', 'corner1', user, id])
    const left = await shop.run(['sessions', 'list', 'corner1', user])

    expect(started.out).toContain('refresh_token ')
    expect(listed.out).toMatch(new RegExp(`${id} .*IOS iPhone 15 +FR`))
    expect(ended.out).toBe(`Ended ${id}.\n`)
    expect(left.out).not.toContain('ses_')
  })

  test('ends all of them at once', async () => {
    await shop.run(['sessions', 'start', 'corner1', user])

    const { out } = await shop.run(['sessions', 'revoke', 'corner1', user, '--all'])

    expect(out).toBe(`Ended all sessions of ${user}.\n`)
    expect((await shop.run(['sessions', 'list', 'corner1', user])).out).not.toContain('ses_')
  })

  test.each([[[]], [['ses_01h455vb4pex5vsknk084sn02q', '--all']]])(
    'wants one or all, not %j',
    async (words) => {
      await expect(shop.run(['sessions', 'revoke', 'corner1', user, ...words])).rejects.toThrow(
        'ended with 2',
      )
    },
  )

  test('a user is deleted with them', async () => {
    const { out } = await shop.run(['users', 'delete', 'corner1', user])

    expect(out).toBe(`Deleted ${user}.\n`)
    await expect(shop.run(['users', 'get', 'corner1', user])).rejects.toThrow('not_found')
  })
})
