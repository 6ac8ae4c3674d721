/** Declares `vigil retention`: sets, shows and ends the retention of evaluation evidence. */

import { InvalidArgumentError } from 'commander'
import type { JsonObject } from '../connecting/client.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { formatFields } from '../terminal/table.ts'

const path = '/v2/watch/retention'

export const retentionCommands: CommandDefinition = {
  summary: 'Say how long the evidence of evaluations is kept.',
  commands: {
    set: {
      summary:
        'Erase the evidence of older evaluations, from now on; verdicts and statistics stay.',
      example: 'vigil retention set --evaluations 400d',
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
