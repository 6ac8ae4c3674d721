import { expect, test } from 'vitest'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

/** An account that may author, and the id of its token. */
async function openAuthor(): Promise<{ account: string; tokenId: string }> {
  const account = String((await shop.read(['accounts', 'open', 'Shop']))['account_id'])
  await shop.run(['access', account, '--authoring', 'on'])
  const words = ['tokens', 'issue', account, '--scope', 'eval,author', '--scope', 'analyse']
  const issued = await shop.read(words)
  return { account, tokenId: String(issued['token_id']) }
}

test('accounts are listed with what they may use, and shown with their tokens', async () => {
  const { account, tokenId } = await openAuthor()
  const { token_id: revoked } = await shop.read(['tokens', 'issue', account, '--scope', 'audit'])
  const { out } = await shop.run(['tokens', 'revoke', account, String(revoked)])

  const listed = await shop.run(['accounts', 'list'])
  const one = await shop.run(['accounts', 'get', account])
  const json = await shop.read(['accounts', 'list'])

  const line = listed.out.split('\n').find((text) => text.startsWith(account)) ?? ''
  expect(out).toBe(`Revoked ${String(revoked)}.\n`)
  expect(listed.out).toMatch(
    /^ID +AUTHORING +MANAGEMENT +TRUSTED USER +CUSTOM SUFFIX +TOKENS +OPENED +NAME\n/,
  )
  expect(line).toMatch(/ on +off +off +off +1 +\d{4}-\d\d-\d\dT\S+Z +Shop$/)
  expect(one.out).toContain(`account_id     ${account}\n`)
  expect(one.out).toContain('name           Shop\n')
  expect(one.out).toContain('authoring      on\n')
  expect(one.out).toMatch(new RegExp(`\n${tokenId} +\\S+Z +eval, author, analyse\n`))
  expect(one.out).toMatch(new RegExp(`\n${String(revoked)} +\\S+Z +\\S+Z +audit\n`))
  expect(json['accounts']).toContainEqual(expect.objectContaining({ account_id: account }))
})

test('a token is issued with a name and an end, and seen with both', async () => {
  const { account } = await openAuthor()
  const nowMs = Date.now()
  const words = ['tokens', 'issue', account, '--scope', 'eval', '--name', 'Shop backend']

  const issued = await shop.run([...words, '--expires', '90d'], { nowMs })
  const one = await shop.run(['accounts', 'get', account])

  const end = new Date(nowMs + 90 * 24 * 60 * 60 * 1_000).toISOString()
  expect(issued.out).toMatch(/^name +Shop backend$/m)
  expect(issued.out).toMatch(new RegExp(`^expires_at +${end}$`, 'm'))
  expect(one.out).toMatch(/^TOKEN +NAME +ISSUED +EXPIRES +SCOPES$/m)
  expect(one.out).toMatch(new RegExp(`^tok_\\S+ +Shop backend +\\S+Z +${end} +eval$`, 'm'))
})

test('a token that has expired is not counted among those in force', async () => {
  const account = String((await shop.read(['accounts', 'open', 'Shop']))['account_id'])
  const nowMs = Date.now()
  await shop.run(['tokens', 'issue', account, '--scope', 'eval', '--expires', '1d'], { nowMs })
  const inForce = async (days: number) => {
    const { out } = await shop.run(['accounts', 'list'], { nowMs: nowMs + days * 86_400_000 })
    const line = out.split('\n').find((text) => text.startsWith(account))
    return line?.split(/ {2,}/)[5]
  }

  expect([await inForce(0.99), await inForce(1)]).toEqual(['1', '0'])
})

test.each(['tomorrow', '90', '2026-12-01', '0.5d', '99999d'])(
  'an end that is no time is refused before anything is asked: %s',
  async (end) => {
    const words = ['tokens', 'issue', shop.customer.accountId, '--scope', 'eval', '--expires', end]

    const { code, err } = await shop.cli.run(words)

    expect(code).toBe(2)
    expect(err).toContain('such as 90d')
  },
)

test('access says what the account may use now', async () => {
  const { account } = await openAuthor()

  const { out } = await shop.run(['access', account, '--trusted-user', 'on', '--management', 'off'])

  expect(out).toBe('authoring      on\nmanagement     off\ntrusted_user   on\ncustom_suffix  off\n')
})

test('a dispatch can be given its id', async () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8057'

  const { out } = await shop.run(['dispatches', 'record', shop.customer.accountId, id])

  expect(out).toBe(`dispatch_id  ${id}\n`)
})

test('managed rules are the operator’s to write, and show customers neither name nor expression', async () => {
  const file = `name: Secret name
description: Network of a data centre
expression: inCidr(signal.ip, ["192.0.2.0/24"])
`

  const made = await shop.run(['managed', 'rules', 'create', '--file', '-', '--json'], {
    stdin: file,
  })
  const id = String(made.json()['id'])
  const forOperator = await shop.run(['managed', 'rules', 'list'])
  const forCustomer = await shop.run(['rules', 'managed'])
  const hidden = await shop.cli.run(['rules', 'get', id])
  await shop.run(['managed', 'rules', 'put', id, '--file', '-'], {
    stdin: file.replace('data centre', 'hosting company'),
  })
  const changed = await shop.read(['managed', 'rules', 'get', id])
  await shop.run(['managed', 'rules', 'delete', id])

  expect(forOperator.out).toContain('Secret name')
  expect(forCustomer.out).toContain(`${id}  Network of a data centre`)
  expect(withoutIds(forCustomer.out).split('\n')[0]).toMatch(/^ID +DESCRIPTION$/)
  expect(forCustomer.out).not.toContain('Secret name')
  expect(hidden.code).toBe(1)
  expect(changed['description']).toBe('Network of a hosting company')
})

test('a public key for front ends is issued, listed, shown with its account, and revoked', async () => {
  const { account } = await openAuthor()
  const none = await shop.run(['sdk-keys', 'list', account])

  const issued = await shop.read(['sdk-keys', 'issue', account, '--name', 'Web shop'])
  const listed = await shop.run(['sdk-keys', 'list', account])
  const shown = await shop.run(['accounts', 'get', account])
  const key = String(issued['key_id'])
  const restricted = await shop.read(['sdk-keys', 'origins', account, key, 'https://shop.example'])
  const shownRestricted = await shop.run(['sdk-keys', 'list', account])
  const opened = await shop.read(['sdk-keys', 'origins', account, key, 'none'])
  const revoked = await shop.run(['sdk-keys', 'revoke', account, key])
  const after = await shop.read(['sdk-keys', 'list', account])

  expect(none.out).toBe('No SDK keys.\n')
  expect(issued).toEqual({
    key_id: expect.stringMatching(/^sdk_/),
    sdk_key: expect.stringMatching(/^vgp_/),
    name: 'Web shop',
  })
  expect(restricted['origins']).toEqual(['https://shop.example'])
  expect(shownRestricted.out).toMatch(/ORIGINS[\s\S]*https:\/\/shop\.example/)
  expect(opened['origins']).toEqual([])
  expect(listed.out).toMatch(/^KEY +NAME +ISSUED +SDK KEY\n/)
  expect(listed.out).toContain(String(issued['sdk_key']))
  expect(shown.out).toContain(String(issued['key_id']))
  expect(revoked.out).toBe(`Revoked ${String(issued['key_id'])}.\n`)
  expect(after['sdk_keys']).toEqual([
    { ...issued, issued_at: expect.any(String), revoked_at: expect.any(String) },
  ])
})
