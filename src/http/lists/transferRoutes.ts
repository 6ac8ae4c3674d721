/** Phone lists in files: brought in and taken out. */

import { Failure } from '../../domain/failure.ts'
import { type PhoneList, phoneLists } from '../../domain/phoneLists.ts'
import { openShares, type Shares } from '../../domain/shares.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { ListsPart, PhoneNumberView } from '../../service/lists/listsPart.ts'
import { accountAccess } from '../request/access.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { linesBody } from '../request/linesBody.ts'
import {
  minPositionParameter,
  type QueryReader,
  readAsking,
  readNumber,
} from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { csvLine } from './csvFields.ts'
import { csvColumns, csvType, importLines, ndjsonType } from './importLines.ts'
import { refuseCrowded } from './wholeList.ts'

type Lists = AccountsPart & ListsPart

/** Imports under way at once: of an account, and of all. */
const imports = { share: 1, total: 8 }

/** `…/phone-numbers/{action}/import` and `…/export`. */
export function transferRoutes(service: Lists, streams: Shares): readonly Route[] {
  return [importRoute(service), exportRoute(service, streams)]
}

const path = '/v2/verification/management/phone-numbers/{action}'
const common = ({ authenticate }: AccountsPart) =>
  ({
    tag: 'Verification management',
    access: accountAccess(authenticate, 'manage'),
    ids: { action: phoneLists },
    failures: ['access_not_enabled'],
  }) as const

const answerLines = { type: 'string', description: 'A JSON object a line.' } as const
const entryLines = { type: 'string', description: 'An entry a line.' } as const

const ndjsonExample = '{"phone_number":"+33612345678","reason":"chargeback"}\n'
const csvExample = 'phone_number,reason,expires_at,created_at\r\n+33612345678,chargeback,,\r\n'

const sentAs = (type: string): string => `${type}; charset=utf-8`

function importRoute(service: Lists): Route {
  const underWay = openShares(imports)
  return defineRoute({
    ...common(service),
    method: 'POST',
    path: `${path}/import`,
    kind: 'plain',
    operationId: 'importPhoneNumbers',
    summary: 'Put the numbers of a file on a list, line by line; sent again after a cut it goes on',
    query: afterLine,
    body: linesBody({ [ndjsonType]: ndjsonExample, [csvType]: csvExample }),
    answers: {
      200: {
        description: 'What became of each line, in order, and at the end of all.',
        schema: answerLines,
        contentType: ndjsonType,
      },
    },
    serve: async ({ call, ids, query, body }) => {
      const key = call.principal.accountId
      refuseCrowded(underWay.refuses(key, 1))
      const { giveBack: closed } = underWay.hold(key, 1)
      try {
        const lines = importLines(body, { list: listIn(ids), afterLine: query })
        const answers = await service.phoneNumbers.importNumbers(call, lines)
        return {
          status: 200,
          contentType: sentAs(ndjsonType),
          pieces: { pieces: textsOf(answers), closed },
        }
      } catch (error) {
        closed()
        throw error
      }
    },
  })
}

function exportRoute(service: Lists, streams: Shares): Route {
  return defineRoute({
    ...common(service),
    method: 'GET',
    path: `${path}/export`,
    kind: 'read',
    operationId: 'exportPhoneNumbers',
    summary: 'All phone numbers of a list as a file that can be imported',
    query: exportQuery,
    body: noBody,
    answers: {
      200: {
        description: 'An entry a line.',
        schema: entryLines,
        contentType: ndjsonType,
        otherTypes: { [csvType]: csvExample },
      },
    },
    serve: async ({ call, ids, query: { format, ...asking } }) => {
      const key = call.principal.accountId
      refuseCrowded(streams.refuses(key, 1))
      const { giveBack: closed } = streams.hold(key, 1)
      try {
        const asked = { list: listIn(ids), ...asking }
        const { value, position } = await service.phoneNumbers.listAll(call, asked)
        const pieces = format === 'csv' ? csvOf(value) : ndjsonOf(value)
        const contentType = sentAs(format === 'csv' ? csvType : ndjsonType)
        return { status: 200, position, contentType, pieces: { pieces, closed } }
      } catch (error) {
        closed()
        throw error
      }
    },
  })
}

function listIn({ action }: { readonly action: string }): PhoneList {
  // the route lets no other through
  return action as PhoneList
}

/** What ends the import when some lines have been answered can only be told as one more of them. */
async function* textsOf(answers: AsyncIterable<object>): AsyncGenerator<string> {
  try {
    for await (const answer of answers) yield lineOf(answer)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, details } = error
    yield lineOf({ result: 'failed', code, message, ...(details && { details }) })
  }
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`
}

type Pages = AsyncIterable<readonly PhoneNumberView[]>

async function* ndjsonOf(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) {
    if (page.length > 0) yield page.map(lineOf).join('')
  }
}

async function* csvOf(pages: Pages): AsyncGenerator<string> {
  yield `${csvLine(csvColumns)}\r\n`
  for await (const page of pages) {
    const lines = page.map((entry) => `${csvLine(csvColumns.map((name) => entry[name] ?? ''))}\r\n`)
    if (lines.length > 0) yield lines.join('')
  }
}

/** `after_line`: that line of the file and those before it are left out. */
const afterLine: QueryReader<number> = {
  parameters: [
    {
      name: 'after_line',
      description:
        'Lines up to this one are left out: the last that an import which was cut off has answered.',
      schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
  ],
  read: (given, details) => {
    const bounds = { name: 'after_line', min: 0, max: Number.MAX_SAFE_INTEGER }
    return readNumber(given, bounds, details) ?? 0
  },
}

const formats = ['ndjson', 'csv']

const exportQuery: QueryReader<{ readonly format: string; readonly minPosition?: number }> = {
  parameters: [
    {
      name: 'format',
      description: 'The form of the file.',
      schema: { type: 'string', enum: formats, default: 'ndjson' },
    },
    minPositionParameter,
  ],
  read: (given, details) => {
    const { format = 'ndjson' } = given
    if (!formats.includes(format)) {
      details.push({ path: 'format', message: `Must be one of: ${formats.join(', ')}.` })
    }
    return { format, ...readAsking(given, details) }
  },
}
