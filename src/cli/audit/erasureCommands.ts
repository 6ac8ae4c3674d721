/** Declares `vigil subjects` (erases persons; certificates) and `retention` (erases by age). */

import { InvalidArgumentError } from 'commander'
import type { JsonObject } from '../connecting/client.ts'
import type { CommandDefinition, ParameterName } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { escapeControls } from '../terminal/screen.ts'
import { formatFields } from '../terminal/table.ts'

const example = 'vigil subjects erase --phone +15551234567 --reason "Ticket 4711"'
const persons: readonly ParameterName[] = ['--phone', '--email', '--user']

export const subjectCommands: CommandDefinition = {
  summary: 'Erase persons for good.',
  example,
  commands: {
    erase: {
      summary:
        'Erase a person in evaluations, dispatches, feedback, lists and as a user, and print the certificate. Verdicts stay.',
      example,
      options: {
        '--phone <number>': 'by a phone number in E.164 form',
        '--email <address>': 'by an email address',
        '--user <app/user>': 'by a user, with all their numbers and addresses',
        '--reason <text>': 'why; it stays on record and must not name the person',
        '--yes': 'do not ask',
      },
      request: 'POST /v2/watch/subjects/erase',
      input: readErasure,
    },
    'erasure <erasure>': {
      summary: 'Print the certificate of an erasure again.',
      request: 'GET /v2/watch/subjects/erasures/<erasure>',
    },
  },
}

/** The request, after confirmation. */
async function readErasure({ context: { stdin }, given }: Invocation): Promise<object> {
  const named = persons.map((source) => given(source)).filter((one) => one !== undefined)
  const [person = ''] = named
  if (named.length !== 1) throw usageError('Say who: one of --phone, --email and --user.')
  const body = {
    phone_number: given('--phone'),
    email_address: given('--email'),
    user: parseUser(given('--user')),
    reason: given('--reason'),
  }
  if (given('--yes')) return body
  if (!stdin.isTty) throw usageError('Nobody can be asked here: say --yes.')
  const asked = `Erase ${escapeControls(person)} for good? Nothing brings it back. Type yes: `
  if ((await stdin.ask(asked)).trim() !== 'yes') throw usageError('Nothing was erased.')
  return body
}

function parseUser(given: string | undefined): object | undefined {
  if (given === undefined) return undefined
  const [app_id = '', user_id = '', ...more] = given.split('/')
  if (app_id === '' || user_id === '' || more.length > 0) {
    throw usageError('--user takes an application and its user: shop001/usr_….')
  }
  return { app_id, user_id }
}

const path = '/v2/watch/retention'

export const retentionCommands: CommandDefinition = {
  summary: 'Say how long the evidence of evaluations is kept.',
  commands: {
    set: {
      summary:
        'Erase the evidence of older evaluations, from now on; verdicts and statistics stay.',
      example: '--evaluations 400d',
      options: {
        '--evaluations <days>': {
          description: 'for how many days, such as 400d',
          parse: parseDays,
          required: true,
        },
      },
      request: `PUT ${path}`,
      body: { evaluations_days: '--evaluations' },
    },
    show: {
      summary: 'Show for how long it is kept, and what was erased.',
      request: `GET ${path}`,
      lines: (answer: JsonObject) => [
        ...(answer['evaluations_days'] === undefined ? ['Evidence is kept for ever.'] : []),
        ...formatFields(answer),
      ],
    },
    off: {
      summary: 'Keep evidence for ever from now on; what was erased stays erased.',
      request: `DELETE ${path}`,
      confirmation: {
        sentence: 'Evidence is kept for ever from now on.',
        json: { retention: () => 'off' },
      },
    },
  },
}

function parseDays(given: string): number {
  const count = /^(\d{1,5})d$/.exec(given)?.[1]
  if (count !== undefined) return Number(count)
  throw new InvalidArgumentError('Must be days such as 400d.')
}
