/** Declares `vigil searches` and `vigil review`: saved searches, and reviews of what they find. */

import { reviewAnswers } from '../../domain/evaluation/reviews.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { SavedSearchView, WaitingReview } from '../../queries/analysis/reviewQueue.ts'
import type { ReviewClaim } from '../../state/analysis/reviewStreamTypes.ts'
import type { Client } from '../connecting/client.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { requireEntries } from '../connecting/pagination.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { createCliError, exitCodes } from '../terminal/cliError.ts'
import { escapeControls } from '../terminal/screen.ts'
import type { ItemColumns } from '../terminal/table.ts'

const path = '/v2/watch/management/searches'
const reviewPath = `${path}/<search>/review` as const

const search = {
  description: 'its id or name',
  resolveId: async (client: Client, text = ''): Promise<string> => {
    if (text.startsWith(`${idPrefixes.search}_`)) return text
    const searches = requireEntries(await client('GET', path, {}), 'searches')
    const found = searches.find((one) => one['name'] === text)
    if (found) return String(found['id'])
    throw createCliError(`There is no search called "${text}".`, exitCodes.refused, {
      code: 'not_found',
      hint: 'See: vigil searches list',
    })
  },
}

const searchColumns: ItemColumns<SavedSearchView> = {
  ID: 'id',
  NAME: 'name',
  FLOW: { cell: 'flow_id', optional: true },
  WHERE: { cell: 'where', optional: true, widthMax: 72, narrow: 'wrap' },
}

export const searchCommands: CommandDefinition = {
  summary: 'Save searches of the account, by which evaluations are listed and reviewed.',
  example: 'vigil searches list',
  commands: {
    list: {
      summary: 'List the saved searches.',
      request: `GET ${path}`,
      list: { name: 'searches', columns: searchColumns, isPaged: false },
    },
    'save <name>': {
      summary: 'Save a search under a name.',
      example: 'vigil searches save Doubtful --where "verdict = PASS and fragile = true"',
      options: {
        '--where <conditions>': 'conditions as of evaluations list',
        '--flow <flow>': idOrNameArgument(namedResources.flows, 'only of this flow: id or name'),
      },
      request: `POST ${path}`,
      body: { name: '<name>', where: '--where', flow_id: '--flow' },
    },
    delete: {
      arguments: { '<search>': search },
      summary: 'Delete a saved search; what was answered stays on record.',
      request: `DELETE ${path}/<search>`,
      confirmation: { sentence: 'Deleted <search>.', json: { id: '<search>', deleted: true } },
    },
  },
}

const waitingColumns: ItemColumns<WaitingReview> = {
  EVALUATED: 'evaluated_at',
  VERDICT: 'verdict',
  FLOW: ({ flow_name, flow_id }) => flow_name ?? flow_id,
  'TAKEN BY': { cell: ({ claim }) => claim?.name ?? claim?.by ?? '', optional: true },
  UNTIL: { cell: ({ claim }) => claim?.until ?? '', optional: true },
  EVALUATION: 'evaluation_id',
}

export const reviewCommands: CommandDefinition = {
  summary: "Give a person's word on what a saved search finds.",
  example: 'vigil review take Doubtful',
  commands: {
    list: {
      arguments: { '<search>': search },
      summary: 'List what waits, the oldest first, and who has taken it.',
      request: `GET ${reviewPath}`,
      list: {
        name: 'waiting',
        columns: waitingColumns,
        emptyListMessage: 'Nothing waits.',
        isPaged: false,
      },
    },
    take: {
      arguments: { '<search>': search, '[evaluation]': 'this one; the next one by default' },
      summary: 'Take an evaluation for ten minutes, or keep it longer: nobody else gets it.',
      example: 'vigil review take Doubtful',
      request: `POST ${reviewPath}/take`,
      body: { evaluation_id: '<evaluation>' },
      lines: ({ review }: { readonly review?: ReviewClaim }) =>
        review
          ? [
              `${review.evaluation_id} is yours until ${review.until}.`,
              `See it:  vigil show ${review.evaluation_id}`,
              `Answer:  vigil review answer ${review.search_id} ${review.evaluation_id} fraud|legitimate|unsure`,
            ].map(escapeControls)
          : ['Nothing waits.'],
    },
    answer: {
      arguments: {
        '<search>': search,
        '<evaluation>': 'its id',
        '<answer>': `${reviewAnswers.join(', ')}; the last takes an answer back`,
      },
      summary: 'Answer what you have taken; a later answer counts instead of an earlier one.',
      example:
        'vigil review answer Doubtful evl_01j9z3k4m5n6p7q8r9s0t1v2w3 fraud --note "same card as yesterday"',
      options: { '--note <text>': 'why' },
      request: `POST ${reviewPath}/answer`,
      body: { evaluation_id: '<evaluation>', answer: '<answer>', note: '--note' },
    },
  },
}
