/** Declares `vigil tokens` and `vigil sdk-keys`: issues and revokes credentials (operator). */

import { InvalidArgumentError } from 'commander'
import { scopes } from '../../domain/principal.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'
import type { AccountView } from '../../queries/accounts/accounts.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import { type Invocation, segment } from '../connecting/invocation.ts'
import { collectTexts, collectWords, type GivenTime } from '../terminal/describe.ts'
import { itemTable } from '../terminal/table.ts'
import { sdkKeyColumns } from './accountCommands.ts'

const path = '/v2/operator/accounts/<account>'
const account = 'acc_01jc0t6fwwfgfsq1md24mhyztj'
const key = 'sdk_01jc0t6fwwfgfsq1md24mhyztj'
const dayMs = 24 * 60 * 60 * 1_000

export const tokenCommands: CommandRow = {
  usage: 'tokens',
  summary: 'Issue and revoke API tokens (operator).',
  example: `vigil tokens issue ${account} --scope eval`,
  commands: [
    {
      usage: 'issue <account>',
      summary: 'Issue an API token; it is printed this once.',
      example: `vigil tokens issue ${account} --scope eval,author --name "Shop backend" --expires 90d`,
      options: {
        '--scope <scope>': {
          meaning: `${scopes.join(', ')}; may be repeated`,
          parse: collectWords(scopes),
          required: true,
        },
        '--name <name>': 'its name: where it is used, or by whom',
        '--expires <time>': {
          meaning:
            'when it ends: ISO 8601 with a zone, or days from now such as 90d; never by default',
          parse: expiry,
        },
      },
      caller: 'operator',
      request: `POST ${path}/tokens`,
      body: { scopes: '--scope', name: '--name', expires_at: '--expires' },
    },
    {
      usage: 'revoke <account> <token-id>',
      summary: 'Revoke an API token; already revoked is not an error.',
      example: `vigil tokens revoke ${account} tok_01jc0t6fwwfgfsq1md24mhyztj`,
      caller: 'operator',
      request: `DELETE ${path}/tokens/<token-id>`,
      done: { sentence: 'Revoked <token-id>.', json: { token_id: '<token-id>', revoked: true } },
    },
  ],
}

export const sdkKeyCommands: CommandRow = {
  usage: 'sdk-keys',
  summary: 'Issue, list and revoke the public keys of front ends (operator).',
  example: `vigil sdk-keys issue ${account} --name "Web shop"`,
  commands: [
    {
      usage: 'issue <account>',
      summary: 'Issue a public key, which can only send signals.',
      example: `vigil sdk-keys issue ${account} --name "Web shop"`,
      options: {
        '--name <name>': 'its name: the site or app that contains it',
        '--origin <origin>': {
          meaning: 'a web origin that may use it; may be repeated',
          parse: collectTexts,
        },
      },
      caller: 'operator',
      request: `POST ${path}/sdk-keys`,
      body: { name: '--name', origins: '--origin' },
    },
    {
      usage: 'origins <account> <key-id>',
      arguments: { '<origins...>': { meaning: 'or none, to allow all', parse: collectTexts } },
      summary: 'Replace the web origins that may use a key.',
      example: `vigil sdk-keys origins ${account} ${key} https://shop.example`,
      caller: 'operator',
      request: `PUT ${path}/sdk-keys/<key-id>`,
      body: { origins: '<origins>' },
    },
    {
      usage: 'list <account>',
      summary: 'List the keys of an account.',
      example: `vigil sdk-keys list ${account}`,
      run: listKeys,
    },
    {
      usage: 'revoke <account> <key-id>',
      summary: 'Revoke a key; already revoked is not an error.',
      example: `vigil sdk-keys revoke ${account} ${key}`,
      caller: 'operator',
      request: `DELETE ${path}/sdk-keys/<key-id>`,
      done: { sentence: 'Revoked <key-id>.', json: { key_id: '<key-id>', revoked: true } },
    },
  ],
}

/** Parses the end of a token. */
function expiry(given: string): GivenTime {
  const days = /^(\d{1,4})d$/.exec(given)?.[1]
  if (days !== undefined) return (nowMs) => isoTime(nowMs + Number(days) * dayMs)
  if (isoTimeMs(given) !== undefined) return () => given
  throw new InvalidArgumentError(
    'Must be a time such as 2027-11-21T07:30:00Z, or days such as 90d.',
  )
}

async function listKeys(invocation: Invocation, _: object, id = ''): Promise<undefined> {
  const client = await invocation.client('operator')
  const { body } = await client<AccountView>('GET', `/v2/operator/accounts/${segment(id)}`)
  const { sdk_keys } = body
  invocation.print({ sdk_keys }, () =>
    sdk_keys.length === 0
      ? ['No SDK keys.']
      : itemTable(sdkKeyColumns, sdk_keys, invocation.screen),
  )
}
