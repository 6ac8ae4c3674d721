/** Adds `vigil apps keys`: lists, rotates and retires the signing keys of an application. */

import type { Command } from 'commander'
import type { SigningKeyView } from '../../commands/sessions/views.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/search.ts'
import type { ExitCode } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { type Column, fieldLines, table } from '../terminal/table.ts'
import { appsOf, type OfAccount, withAccount } from './appPaths.ts'

/** Adds `keys`. */
export function addSigningKeyCommands(apps: Command, run: Run): void {
  const keys = describe(apps, {
    usage: 'keys',
    summary: 'See, rotate and retire the signing keys of an application.',
    example: 'vigil apps keys list shop001',
  })
  const list = describe(keys, {
    usage: 'list <app>',
    summary: 'List the keys; the last one signs.',
    example: 'vigil apps keys list shop001',
  })
  withAccount(list).action(serve<OfAccount>(run, listKeys))
  const rotate = describe(keys, {
    usage: 'rotate <app>',
    summary: 'Have another key sign; those before it verify until they are retired.',
    example: 'vigil apps keys rotate shop001',
  })
  withAccount(rotate).action(serve<OfAccount>(run, rotateKey))
  const retire = describe(keys, {
    usage: 'retire <app> <kid>',
    summary: 'Retire a key that does not sign any more; what it signed is refused from then on.',
    example: 'vigil apps keys retire shop001 b1ZlcnkgbXVjaCBhIGRpZw',
  })
  withAccount(retire).action(serve<OfAccount>(run, retireKey))
}

type Done = Promise<ExitCode | undefined>

const columns: readonly Column[] = [
  { title: 'KID' },
  { title: 'STATUS' },
  { title: 'ADDED' },
  { title: 'RETIRED' },
]

async function listKeys(invocation: Invocation, options: OfAccount, app = ''): Done {
  const { client, path } = await appsOf(invocation, options)
  const { body } = await client('GET', `${path}/${segment(app)}/signing-keys`)
  const keys = entriesOf<SigningKeyView>(body, 'signing_keys')
  const rows = keys.map(({ kid, status, added_at, retired_at = '' }) => [
    kid,
    status,
    added_at,
    retired_at,
  ])
  invocation.print(body, () => table(columns, rows, invocation.screen))
  return undefined
}

async function rotateKey(invocation: Invocation, options: OfAccount, app = ''): Done {
  const { client, path } = await appsOf(invocation, options)
  const { body } = await client('POST', `${path}/${segment(app)}/signing-keys`)
  invocation.print(body, () => fieldLines(body))
  return undefined
}

async function retireKey(
  invocation: Invocation,
  options: OfAccount,
  ...args: readonly string[]
): Done {
  const [app = '', kid = ''] = args
  const { client, path } = await appsOf(invocation, options)
  await client('DELETE', `${path}/${segment(app)}/signing-keys/${segment(kid)}`)
  invocation.print({ kid, retired: true }, () => [`Retired ${printable(kid)}.`])
  return undefined
}
