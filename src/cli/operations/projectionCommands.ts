/** Declares `vigil projections` (progress, parked events) and `vigil mongo` (analyst access). */

import { idPrefixes, isId } from '../../domain/ids.ts'
import type { ProjectionView, RetryView } from '../../queries/operations/projections.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { escapeControls, type Screen } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'

const columns: ItemColumns<ProjectionView> = {
  PROJECTION: 'name',
  VERSION: { cell: 'version', align: 'right' },
  STATUS: 'status',
  POSITION: { cell: 'position', align: 'right' },
  LAG: {
    cell: ({ lag_seconds }) => (lag_seconds === undefined ? '' : `${lag_seconds} s`),
    align: 'right',
  },
  PARKED: { cell: 'parked', align: 'right' },
}

const parkedColumns: ItemColumns<ProjectionView['parked_events'][number]> = {
  POSITION: { cell: 'position', align: 'right' },
  EVENT: 'type',
  'WAITS IN': { cell: 'sequence', widthMax: 72, narrow: 'wrap' },
  ERROR: { cell: 'error', narrow: 'wrap' },
}

export const projectionCommands: CommandDefinition = {
  summary: 'Show the progress of the projections and their parked events (operator).',
  example: 'vigil projections',
  caller: 'operator',
  request: 'GET /v2/operator/projections',
  lines: formatProjections,
  commands: {
    'retry <name>': {
      summary: 'Apply the parked events of a projection again; to repeat it is not an error.',
      example: 'vigil projections retry evaluations',
      request: 'POST /v2/operator/projections/<name>/retry',
      lines: (retried: RetryView, { screen }) => [
        `${escapeControls(retried.name)}: applied ${retried.applied}, still parked ${retried.parked}`,
        ...formatProjectionDetails(retried, screen),
      ],
    },
  },
}

/** A line per projection; below them the error of each stopped one, and its parked events. */
function formatProjections(
  { projections }: { readonly projections: readonly ProjectionView[] },
  { screen }: Invocation,
): readonly string[] {
  return [
    ...formatItemTable(columns, projections, screen),
    ...projections.flatMap((projection) => formatProjectionDetails(projection, screen)),
  ]
}

function formatProjectionDetails(
  { name, error, parked, parked_events }: RetryView | ProjectionView,
  screen: Screen,
): readonly string[] {
  const more = parked - parked_events.length
  return [
    ...(error === undefined
      ? []
      : ['', `${escapeControls(name)} failed: ${escapeControls(error)}`]),
    ...(parked_events.length === 0
      ? []
      : [
          '',
          `Parked in ${escapeControls(name)}:`,
          ...formatItemTable(parkedColumns, parked_events, screen),
          ...(more > 0 ? [`and ${more} more`] : []),
        ]),
  ]
}

/** What MongoDB takes as the name of a database, and we take as the name of a role and of a user. */
const namePattern = /^[A-Za-z][\w-]{0,62}$/

/** They print, and ask neither the service nor MongoDB. */
export const mongoCommands: CommandDefinition = {
  summary: 'Print commands for an administrator of MongoDB.',
  commands: {
    grant: {
      summary:
        'Print the commands for mongosh that let analysts read the read models, and only those.',
      example: 'vigil mongo grant > grant.js',
      options: {
        '--database <name>': {
          description: 'the database that MONGODB_URL names',
          default: 'vigil',
        },
        '--account <id>': 'only what is of this account, through views of it',
        '--role <name>':
          'the role that may read (default: vigil_analyst, of an account with its id)',
        '--user <name>': 'the user who has the role (default: analyst, of an account with its id)',
      },
      run: grant,
    },
  },
}

async function grant({ given, print }: Invocation): Promise<undefined> {
  const account = given('--account')
  if (account !== undefined && !isId(idPrefixes.account, account)) {
    throw usageError('--account must be the id of an account.')
  }
  const ofAccount = account === undefined ? '' : `_${account}`
  const named = (flag: 'database' | 'role' | 'user', standard = ''): string => {
    const name = given(`--${flag}`) ?? `${standard}${ofAccount}`
    if (namePattern.test(name)) return name
    throw usageError(`--${flag} must be a letter and up to 62 letters, digits, _ and -.`)
  }
  const names = {
    database: named('database'),
    role: named('role', 'vigil_analyst'),
    user: named('user', 'analyst'),
  }
  // Loaded only here: every other command is a client, and starts without the read models.
  const { buildAnalystGrantScript: analystGrant } = await import(
    '../../queries/operations/analystGrant.ts'
  )
  const script = analystGrant({ ...names, account })
  print({ script }, () => script.trimEnd().split('\n'))
}
