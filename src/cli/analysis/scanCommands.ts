/** Declares `vigil top` (values of a name) and `vigil missing`, which scan recorded evaluations. */

import type { MissingReportView } from '../../queries/analysis/missingReport.ts'
import type { TopValuesView } from '../../queries/analysis/topValues.ts'
import { type CommandDefinition, fillFields } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { timeOptions } from '../connecting/pagination.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { createCliError, exitCodes, usageError } from '../terminal/cliError.ts'
import { integerOption } from '../terminal/optionValues.ts'
import { formatCount, openProgress, type Screen } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'

const { '--from <time>': from, '--to <time>': to } = timeOptions
const scanOptions = {
  '--where <conditions>': 'only those that fulfil them: verdict = FLAG and ext.shop_country != FR',
  '--from <time>': { ...from, description: `${from.description}; a week before --to by default` },
  '--to <time>': { ...to, description: `${to.description}; now by default` },
} as const
const scanFields = { where: '--where', from: '--from', to: '--to' } as const

export const flowScanOptions = {
  '--flow <flow>': idOrNameArgument(namedResources.flows, 'only of this flow: its name or id'),
  ...scanOptions,
} as const
export const flowScanFields = { flow_id: '--flow', ...scanFields } as const

/** Throws `usage` for a range that ends before it begins. */
export function checkTimes({ given }: Invocation): void {
  const [start, end] = [given('--from'), given('--to')]
  if (start !== undefined && end !== undefined && Date.parse(start) >= Date.parse(end)) {
    throw usageError('--from must be before --to.')
  }
}

type Figures = TopValuesView['all'] & { readonly value: string }

const right = { align: 'right' } as const
const topColumns: ItemColumns<Figures> = {
  VALUE: { cell: 'value', widthMax: 64, narrow: 'cut' },
  EVALUATIONS: { cell: 'evaluations', ...right },
  FLAGGED: { cell: 'flagged', ...right },
  SHARE: { cell: ({ share }) => formatShare(share), ...right },
  LIFT: { cell: ({ lift }) => (lift === null ? '-' : lift.toFixed(2)), ...right },
  PARTIAL: { cell: 'partial', ...right },
  TARGETS: { cell: ({ targets }) => String(targets ?? '-'), ...right },
  'FIRST SEEN': ({ first_seen }) => first_seen ?? '-',
  'LAST SEEN': ({ last_seen }) => last_seen ?? '-',
}

export const topCommand: CommandDefinition = {
  arguments: {
    '<name>':
      'email_domain, phone_country, network, signal.device_id, ext.KEY, label, class, missing, flow, verdict',
  },
  summary: 'Count evaluations by the values of a name: flagged, lift, distinct end users.',
  example: `vigil top network --from 7d
vigil top ext.shop_country --where "verdict = FLAG"`,
  options: {
    ...scanOptions,
    '--limit <n>': { ...integerOption('values to print', 1, 1_000), default: 20 },
  },
  run: async (invocation) => {
    const query = fillFields({ name: '<name>', ...scanFields, limit: '--limit' }, invocation.given)
    const found = await scan<TopValuesView>(invocation, '/v2/watch/evaluations/top', query)
    invocation.print(found, () => formatTop(found, invocation.screen))
    return undefined
  },
}

/** A row for each value, then those that close the sum. */
function formatTop(found: TopValuesView, screen: Screen): readonly string[] {
  const { values, missing, others, forgotten, all, cut = {} } = found
  const rest = [
    { ...missing, value: '(missing)' },
    { ...others, value: `(others${others.values === null ? '' : `: ${others.values}`})` },
    { ...forgotten, value: '(forgotten)' },
  ].filter(({ evaluations }) => evaluations > 0)
  // a value is printed in quotes, so that none is taken for one of the rest
  const rows = values.map((one) => ({ ...one, value: JSON.stringify(one.value) }))
  const { values_until, targets_until } = cut
  return [
    formatSpan(found, all.evaluations),
    '',
    ...formatItemTable(topColumns, [...rows, ...rest, { ...all, value: '(all)' }], screen),
    ...(values_until === undefined
      ? []
      : ['', `Too many values: those met only up to ${values_until} are among the others.`]),
    ...(targets_until === undefined
      ? []
      : ['', `Too many end users: those met only up to ${targets_until} are not counted.`]),
  ]
}

type Missing = MissingReportView['names'][number]
type Key = MissingReportView['keys'][number]

const missingColumns: ItemColumns<Missing> = {
  MISSING: 'name',
  EVALUATIONS: { cell: 'evaluations', ...right },
  SHARE: { cell: ({ share }) => formatShare(share), ...right },
  FRAGILE: { cell: 'fragile', ...right },
}
const keyColumns: ItemColumns<Key> = {
  'EXT KEY': { cell: 'key', widthMax: 64, narrow: 'cut' },
  EVALUATIONS: { cell: 'evaluations', ...right },
  VALUES: { cell: ({ forms }) => formatForms(forms), narrow: 'wrap' },
  LENGTH: ({ shortest, longest }) =>
    shortest === longest ? String(shortest ?? '-') : `${shortest} to ${longest}`,
  READ: ({ read }) => (read ? 'yes' : 'no'),
  'NEAR TO': { cell: ({ near }) => near.join(', '), optional: true, narrow: 'wrap' },
}

export const missingCommand: CommandDefinition = {
  summary: 'Count the names that rules waited for, and the keys of ext that arrived.',
  example: '--flow Signup --from 7d',
  options: {
    ...flowScanOptions,
  },
  run: async (invocation) => {
    const { given } = invocation
    const flow = given('--flow')
    const conditions = [flow && `flow = ${flow}`, given('--where')].filter(Boolean)
    const where = conditions.length > 0 ? conditions.join(' and ') : undefined
    const query = { ...fillFields(scanFields, given), where }
    const path = '/v2/watch/evaluations/missing'
    const found = await scan<MissingReportView>(invocation, path, query)
    invocation.print(found, () => formatMissing(found, invocation.screen))
    return undefined
  },
}

function formatMissing(found: MissingReportView, screen: Screen): readonly string[] {
  const { evaluations, forgotten, names, keys, left_out } = found
  return [
    formatSpan(found, evaluations),
    ...(forgotten > 0
      ? [`The values of ${formatCount(forgotten, 'evaluation')} are forgotten.`]
      : []),
    '',
    ...(names.length === 0
      ? ['Nothing was missing.']
      : formatItemTable(missingColumns, names, screen)),
    ...(keys.length === 0 ? [] : ['', ...formatItemTable(keyColumns, keys, screen)]),
    ...(left_out
      ? ['', `Too many to tell apart: ${left_out.names} names, ${left_out.keys} keys left out.`]
      : []),
  ]
}

function formatForms(forms: Key['forms']): string {
  const some = Object.entries(forms).filter(([, count]) => count > 0)
  return some.map(([form, count]) => `${form} ${count}`).join(', ') || '-'
}

export function formatSpan(
  { from, to }: { readonly from: string; readonly to: string },
  evaluations: number,
): string {
  return `${formatCount(evaluations, 'evaluation')} from ${from} to ${to} (UTC)`
}

function formatShare(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(1)}%`
}

/** Asks with progress, and gives the last line, which is the result. */
export async function scan<Result extends object>(
  { client, context, flags }: Invocation,
  path: string,
  query: object,
): Promise<Result> {
  const progress = openProgress(context, flags)
  const onPiece = (piece: Uint8Array) => {
    const done = /"done":([\d.]+)/.exec(Buffer.from(piece).toString())?.[1]
    if (done !== undefined) progress.show(`scanning: ${Math.floor(100 * Number(done))} %`)
  }
  try {
    const asked = { query: { ...query, format: 'ndjson' }, onPiece }
    const { lines } = await client<{ readonly lines: readonly { readonly result?: Result }[] }>(
      'GET',
      path,
      asked,
    )
    const result = lines.at(-1)?.result
    if (result) return result
    throw createCliError('The answer broke off; ask again.', exitCodes.unreachable)
  } finally {
    progress.clear()
  }
}
