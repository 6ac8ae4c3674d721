/** Adds `vigil subjects`: erases a person's data and prints erasure certificates. */

import type { Command } from 'commander'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { fieldLines } from '../terminal/table.ts'

/** Adds `subjects`. */
export function addSubjectCommands(program: Command, run: Run): void {
  const subjects = describe(program, {
    usage: 'subjects',
    summary: 'Erase persons for good.',
    example: 'vigil subjects erase --phone +15551234567 --reason "Ticket 4711"',
  })
  describe(subjects, {
    usage: 'erase',
    summary:
      'Erase a person in evaluations, dispatches, feedback, lists and as a user, and print the certificate. Verdicts stay.',
    example: 'vigil subjects erase --phone +15551234567 --reason "Ticket 4711"',
  })
    .option('--phone <number>', 'by a phone number in E.164 form')
    .option('--email <address>', 'by an email address')
    .option('--user <app/user>', 'by a user, with all their numbers and addresses')
    .option('--reason <text>', 'why; it stays on record and must not name the person')
    .option('--yes', 'do not ask')
    .action(serve<EraseOptions>(run, erase))
  describe(subjects, {
    usage: 'erasure <erasure>',
    summary: 'Print the certificate of an erasure again.',
    example: 'vigil subjects erasure era_01kakq8v6mfgxbnsb9ksm0zn3q',
  }).action(serve(run, showErasure))
}

interface EraseOptions {
  readonly phone?: string
  readonly email?: string
  readonly user?: string
  readonly reason?: string
  readonly yes?: boolean
}

type Done = Promise<ExitCode | undefined>

async function erase(invocation: Invocation, options: EraseOptions): Done {
  const { phone, email, user, reason, yes } = options
  const named = [phone, email, user].filter((one) => one !== undefined)
  const [person = ''] = named
  if (named.length !== 1) throw usageError('Say who: one of --phone, --email and --user.')
  const body = {
    phone_number: phone,
    email_address: email,
    user: user === undefined ? undefined : userOf(user),
    reason,
  }
  if (!yes) await confirm(invocation, person)
  const client = await invocation.client()
  const erased = await client('POST', '/v2/watch/subjects/erase', { body })
  invocation.print(erased.body, () => fieldLines(erased.body))
  return undefined
}

/** Throws `usage` unless a person at the terminal means it. */
async function confirm({ context: { stdin } }: Invocation, person: string): Promise<void> {
  if (!stdin.isTty) throw usageError('Nobody can be asked here: say --yes.')
  const asked = `Erase ${printable(person)} for good? Nothing brings it back. Type yes: `
  if ((await stdin.ask(asked)).trim() !== 'yes') throw usageError('Nothing was erased.')
}

function userOf(given: string): object {
  const [app_id = '', user_id = '', ...more] = given.split('/')
  if (app_id === '' || user_id === '' || more.length > 0) {
    throw usageError('--user takes an application and its user: shop001/usr_….')
  }
  return { app_id, user_id }
}

async function showErasure(invocation: Invocation, _: object, id = ''): Done {
  const client = await invocation.client()
  const path = `/v2/watch/subjects/erasures/${segment(id)}`
  const { body } = await client('GET', path)
  invocation.print(body, () => fieldLines(body))
  return undefined
}
